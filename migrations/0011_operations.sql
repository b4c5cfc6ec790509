-- What the operators' pages show: a sign of life of each process, and which migrations were applied.
CREATE TABLE processes (
    process_id text COLLATE "C" PRIMARY KEY,
    host text NOT NULL,
    pid integer NOT NULL,
    version text NOT NULL,
    started_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    -- By the process's own clock at that moment.
    clock timestamptz NOT NULL,
    loops integer NOT NULL,
    -- How long the slowest loop took to answer, in microseconds.
    loop_lag bigint NOT NULL,
    memory bigint NOT NULL,
    jobs_succeeded bigint NOT NULL,
    jobs_failed bigint NOT NULL,
    jobs_dead bigint NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON processes TO pippin_system;

-- Made by the migrator itself.
DO $$
BEGIN
    IF to_regclass('pippin_migrations') IS NOT NULL THEN
        GRANT SELECT (number, name) ON pippin_migrations TO pippin_system;
    END IF;
END
$$;
