-- The tables of the sample's own. The queue brings its tables itself.
create table if not exists customer (
  id          bigint generated always as identity primary key,
  mail        text not null,
  welcomed_at timestamptz
);

create table if not exists product (
  task bigint  not null,
  row  integer not null,
  primary key (task, row)
);

create table if not exists payment (
  order_number bigint not null primary key,
  task         bigint
);

create table if not exists provider_charge (
  idempotency_key text    not null primary key,
  fencing_token   bigint  not null,
  order_number    bigint  not null,
  cents           integer not null
);
