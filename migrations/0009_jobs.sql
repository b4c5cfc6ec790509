-- Durable work: a queue that every process takes from, schedules that one process at a time keeps, and a sign of life
-- of each process.

-- What is to be done, once, whatever dies meanwhile. Enqueued in the transaction of the change that asks for it.
CREATE TABLE jobs (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    job_id text COLLATE "C" NOT NULL CHECK (job_id ~ '^[a-z2-7]{26}$'),
    kind text COLLATE "C" NOT NULL CHECK (length(kind) BETWEEN 1 AND 100),
    -- 0 before 1, inside a team.
    priority smallint NOT NULL CHECK (priority IN (0, 1)),
    state text COLLATE "C" NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'succeeded', 'dead', 'cancelled')),
    -- Counted when an attempt begins, so that a job that kills its process comes to an end too.
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When it may run. While a worker has it, the end of the lease: a worker that dies gives it back by doing nothing.
    due_at timestamptz NOT NULL,
    worker text COLLATE "C",
    finished_at timestamptz,
    keep_until timestamptz,
    -- What follows may hold personal data; the system's role cannot read it.
    idempotence_key text COLLATE "C" CHECK (length(idempotence_key) BETWEEN 1 AND 255),
    -- Emptied when the job has succeeded.
    payload jsonb NOT NULL,
    problem text,
    result jsonb,
    PRIMARY KEY (team_id, job_id),
    CHECK ((state = 'pending') = (finished_at IS NULL)),
    CHECK ((finished_at IS NULL) = (keep_until IS NULL))
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX jobs_idempotence_key ON jobs (team_id, kind, idempotence_key) WHERE idempotence_key IS NOT NULL;
CREATE INDEX jobs_team ON jobs (team_id, created_at, job_id);
-- Read across teams by the system: what is due, by team and then by age; the operators' lists; what may go.
CREATE INDEX jobs_due ON jobs (priority, team_id, due_at) WHERE state = 'pending';
CREATE INDEX jobs_created_at ON jobs (created_at, job_id);
CREATE INDEX jobs_dead ON jobs (created_at, job_id) WHERE state = 'dead';
CREATE INDEX jobs_keep_until ON jobs (keep_until) WHERE keep_until IS NOT NULL;

SELECT pippin_wall('jobs');
GRANT SELECT, INSERT, UPDATE ON jobs TO pippin_app;
CREATE POLICY every_team ON jobs TO pippin_system USING (true) WITH CHECK (true);
GRANT SELECT (team_id, job_id, kind, priority, state, attempts, created_at, due_at, worker, finished_at)
    ON jobs TO pippin_system;
GRANT UPDATE (attempts, due_at, worker) ON jobs TO pippin_system;

-- What is done now and then for the whole installation, by one process at a time.
CREATE TABLE schedules (
    name text COLLATE "C" PRIMARY KEY,
    every_seconds integer NOT NULL CHECK (every_seconds > 0),
    -- When it is due; while a worker has it, the end of the lease.
    due_at timestamptz NOT NULL DEFAULT now(),
    worker text COLLATE "C",
    started_at timestamptz,
    finished_at timestamptz,
    milliseconds integer,
    runs bigint NOT NULL DEFAULT 0,
    -- Why the last run failed; NULL when it did not. No personal data.
    problem text
);
GRANT SELECT, INSERT, UPDATE ON schedules TO pippin_system;

-- What has ended and been kept long enough. Owned by the migrating role, since this is done for all teams at once;
-- at most `batch` rows a call, oldest first.
CREATE FUNCTION pippin_purge_jobs(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM jobs WHERE (team_id, job_id) IN (
            SELECT team_id, job_id FROM jobs WHERE keep_until <= now()
            ORDER BY keep_until LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;

CREATE INDEX sessions_expires_at ON sessions (expires_at);
CREATE FUNCTION pippin_purge_sessions(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM sessions WHERE (team_id, token_hash) IN (
            SELECT team_id, token_hash FROM sessions WHERE expires_at <= now()
            ORDER BY expires_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;

CREATE FUNCTION pippin_purge_limits(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM limits WHERE (team_id, subject) IN (
            SELECT team_id, subject FROM limits WHERE window_ends_at <= now()
            ORDER BY window_ends_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;

REVOKE EXECUTE ON FUNCTION pippin_purge_jobs, pippin_purge_sessions, pippin_purge_limits FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_jobs, pippin_purge_sessions, pippin_purge_limits TO pippin_system;
