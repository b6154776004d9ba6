-- An example of a later version for the tests of migrations.
create table konduit_example (id bigint primary key);
