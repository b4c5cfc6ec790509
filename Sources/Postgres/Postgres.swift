// Postgres: PostgreSQL through libpq's pipeline mode, on the loops.
//
// Owns: SQL text whose values are bound parameters only, rows, pipelined connections, a pool with back-pressure and
// deadlines, transactions; under Administration the migrator and the private cluster.
// Must not know: any table.
// Standards: PostgreSQL 15 documentation, chapters 34.5 (pipeline mode) and 55 (protocol, binary formats).
