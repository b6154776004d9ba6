package io.konduit.queue.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** The connection of the calling thread's transaction. */
record ThreadConnection(DataSource dataSource) {

    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    <T> T use(Work<T> work) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return work.on(connection);
        } catch (SQLException e) {
            throw new DataAccessResourceFailureException("The transaction's connection does not answer.", e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }
}
