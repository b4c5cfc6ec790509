-- Native apps: what they hand over, and refresh tokens that rotate.

-- A rotating refresh token is named by its first half; of the other half only the newest is good.
ALTER TABLE refresh_tokens ADD COLUMN secret_hash bytea;

-- What a native app handed over, by the SHA-256 of its body, so that the same again is known as the same. Kept from
-- before Apple is asked: the name in it comes once.
CREATE TABLE native_handovers (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    body_hash bytea NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    -- Sealed: the body.
    body_sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    -- Who is at work with it has it alone until then.
    claimed_until timestamptz,
    -- What it led to.
    settled_at timestamptz,
    sub text COLLATE "C",
    token_id bytea,
    is_new_user boolean,
    PRIMARY KEY (team_id, body_hash)
);
CREATE INDEX native_handovers_created_at ON native_handovers (created_at);
SELECT pippin_wall('native_handovers');
GRANT SELECT, INSERT, UPDATE, DELETE ON native_handovers TO pippin_app;

CREATE FUNCTION pippin_purge_native_handovers(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM native_handovers WHERE (team_id, body_hash) IN (
            SELECT team_id, body_hash FROM native_handovers
            WHERE created_at < now() - CASE WHEN settled_at IS NULL THEN interval '7 days' ELSE interval '1 hour' END
            ORDER BY created_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;
REVOKE EXECUTE ON FUNCTION pippin_purge_native_handovers FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_native_handovers TO pippin_system;
