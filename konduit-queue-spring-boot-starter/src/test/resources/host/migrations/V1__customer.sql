create table customer (id bigint primary key, name text not null);
