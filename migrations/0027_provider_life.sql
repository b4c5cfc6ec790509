-- What becomes of what a provider gave: revocations through the outbox, daily validations, what a provider tells of its
-- people, and answers whose browser never came back.

-- The id of a job, drawn where a statement decides how many jobs there are: letters and digits of base32, of which 98
-- bits are random.
CREATE FUNCTION pippin_job_id() RETURNS text
LANGUAGE sql VOLATILE AS $$
    SELECT left(translate(replace(gen_random_uuid()::text, '-', ''), '0189', 'ghij'), 26)
$$;

-- `problem`: why a token cannot be revoked, or why a live one cannot be validated; since when.
ALTER TABLE provider_tokens ADD COLUMN problem_at timestamptz;
CREATE INDEX provider_tokens_problem ON provider_tokens (team_id, problem_at DESC, token_id) WHERE problem IS NOT NULL;
CREATE INDEX provider_tokens_settled_at ON provider_tokens (settled_at) WHERE state = 'revoked';

-- The receipt of a deletion names tokens of providers too; what became of them is written by whoever settles them.
ALTER TABLE deletion_receipt_tokens
    ADD COLUMN provider text COLLATE "C" CHECK (provider IN ('apple')),
    ADD COLUMN provider_token_id bytea,
    ADD COLUMN problem text;
CREATE INDEX deletion_receipt_tokens_provider ON deletion_receipt_tokens (team_id, provider_token_id)
    WHERE provider_token_id IS NOT NULL;

ALTER TABLE provider_trips
    -- Whether an app is at the trip's beginning; else a page of ours.
    ADD COLUMN for_app boolean NOT NULL DEFAULT true,
    -- When who came was recorded without their browser.
    ADD COLUMN settled_at timestamptz;
CREATE INDEX provider_trips_answered_at ON provider_trips (answered_at)
    WHERE answered_at IS NOT NULL AND settled_at IS NULL;

-- What a provider told, by the SHA-256 of its `jti`: each is acted on once.
CREATE TABLE provider_notices (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    provider text COLLATE "C" NOT NULL CHECK (provider IN ('apple')),
    notice_hash bytea NOT NULL,
    -- The primary App ID of the group it was about.
    app_id text COLLATE "C" NOT NULL,
    -- What happened to whom and when, without addresses.
    events jsonb NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, provider, notice_hash)
);
CREATE INDEX provider_notices_received_at ON provider_notices (received_at);
SELECT pippin_wall('provider_notices');
GRANT SELECT, INSERT, UPDATE, DELETE ON provider_notices TO pippin_app;

-- What is due is looked for across teams, by name and time alone.
CREATE POLICY every_team ON provider_tokens FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON provider_trips FOR SELECT TO pippin_system USING (true);
GRANT SELECT (team_id, state, validate_at) ON provider_tokens TO pippin_system;
GRANT SELECT (team_id, answered_at, settled_at) ON provider_trips TO pippin_system;

-- Trips go after an hour, but those with an answer that nobody has looked at after a week.
CREATE OR REPLACE FUNCTION pippin_purge_provider_trips(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM provider_trips WHERE (team_id, state_hash) IN (
            SELECT team_id, state_hash FROM provider_trips
            WHERE created_at < now() - CASE
                WHEN answered_at IS NULL OR settled_at IS NOT NULL THEN interval '1 hour' ELSE interval '7 days' END
            ORDER BY created_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;

-- Rows of revoked tokens, whose token is gone already, and notices, which are too old by then to come again.
CREATE FUNCTION pippin_purge_provider_tokens(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM provider_tokens WHERE (team_id, token_id) IN (
            SELECT team_id, token_id FROM provider_tokens
            WHERE state = 'revoked' AND settled_at < now() - interval '90 days'
            ORDER BY settled_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;
CREATE FUNCTION pippin_purge_provider_notices(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM provider_notices WHERE (team_id, provider, notice_hash) IN (
            SELECT team_id, provider, notice_hash FROM provider_notices
            WHERE received_at < now() - interval '90 days'
            ORDER BY received_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;
REVOKE EXECUTE ON FUNCTION pippin_purge_provider_tokens, pippin_purge_provider_notices FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_provider_tokens, pippin_purge_provider_notices TO pippin_system;
