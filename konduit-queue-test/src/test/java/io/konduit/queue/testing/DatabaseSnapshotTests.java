package io.konduit.queue.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.test.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

@Tag("Q3")
class DatabaseSnapshotTests {
    private final TestDatabase database = TestDatabase.create();
    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());

    @AfterEach
    void drop() {
        database.close();
    }

    private List<String> rows(String sql) {
        return jdbc.sql(sql).query(String.class).list();
    }

    @Test
    void putsBackReferencedAndReferringTables() {
        database.execute(
                "create table a_line (product bigint not null, amount int)",
                "create schema stock",
                "create table stock.product (id bigint primary key, parent bigint references stock.product)",
                "alter table a_line add foreign key (product) references stock.product",
                "insert into stock.product values (1, null), (2, 1)",
                "insert into a_line values (2, 5)");
        DatabaseSnapshot snapshot = DatabaseSnapshot.take(database.dataSource());
        database.execute("update stock.product set parent = 2 where id = 2", "insert into stock.product values (3, 2)");
        snapshot.restore();
        assertThat(rows("select id || '<' || coalesce(parent, 0) from stock.product order by id"))
                .containsExactly("1<0", "2<1");
        assertThat(rows("select product || 'x' || amount from a_line")).containsExactly("2x5");
    }

    @Test
    void putsBackGeneratedColumnsIdentitiesAndWhatTriggersWouldChange() {
        database.execute(
                "create table seen (id bigint generated always as identity, name text, loud text generated always as (upper(name)) stored)",
                "create function audit() returns trigger language plpgsql as 'begin new.name := ''changed''; return new; end'",
                "insert into seen (name) values ('a')",
                "create trigger audit before insert on seen for each row execute function audit()");
        DatabaseSnapshot snapshot = DatabaseSnapshot.take(database.dataSource());
        database.execute("delete from seen", "insert into seen (name) values ('b')");
        snapshot.restore();
        assertThat(rows("select id || name || loud from seen")).containsExactly("1aA");
        database.execute("insert into seen (name) values ('c')");
        assertThat(rows("select name from seen where id <> 1")).containsExactly("changed");
        assertThat(rows("select max(id) from seen"))
                .as("sequences go on: an application may have read ahead")
                .containsExactly("3");
    }

    @Test
    void saysWhatItCannotPutBack() {
        database.execute("create table plain (id int)", "create view v as select * from plain");
        DatabaseSnapshot snapshot = DatabaseSnapshot.take(database.dataSource());
        database.execute(
                "alter table plain add primary key (id)",
                "create table a (id int primary key, b int)",
                "create table b (id int primary key, a int references a)",
                "alter table a add foreign key (b) references b");
        DatabaseSnapshot circle = DatabaseSnapshot.take(database.dataSource());
        database.execute("insert into a values (1, null)");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(circle::restore)
                .withMessageStartingWith("The foreign keys of these tables form a circle");
        database.execute("create table c (id int references plain)", "insert into plain values (1)");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(snapshot::restore)
                .withMessageStartingWith("The table public.c was created while the test ran.");
        assertThat(rows("select id from plain")).as("nothing is half done").containsExactly("1");
    }

    @Test
    void tablesThatInstancesWriteAtAnyTimeAreLeftAlone() {
        database.execute("create table konduit_worker (id int)");
        DatabaseSnapshot snapshot = DatabaseSnapshot.take(database.dataSource());
        database.execute("insert into konduit_worker values (1)");
        snapshot.restore();
        assertThat(rows("select id from konduit_worker")).containsExactly("1");
    }
}
