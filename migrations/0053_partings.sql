-- That somebody has parted from a provider, or from a group of apps there: what the provider said of them before, and
-- nobody has looked at yet, brings them back no more. Kept as long as an answer may wait, without the person's name.
CREATE TABLE provider_partings (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    provider text COLLATE "C" NOT NULL CHECK (provider IN ('apple')),
    -- The SHA-256 of what the provider calls the person.
    identifier_hash bytea NOT NULL,
    -- The group of apps; empty for all of them.
    app_id text COLLATE "C" NOT NULL,
    -- When it happened here, by the clock of the database.
    ended_at timestamptz,
    -- When it happened there, as the provider says.
    told_at timestamptz,
    noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (team_id, provider, identifier_hash, app_id)
);
CREATE INDEX provider_partings_noted_at ON provider_partings (noted_at);
SELECT pippin_wall('provider_partings');
GRANT SELECT, INSERT, UPDATE, DELETE ON provider_partings TO pippin_app;

-- When the answer came by the clock of the database; NULL where the release before this one kept it.
ALTER TABLE provider_trips ADD COLUMN arrived_at timestamptz;

-- An answer waits for a week at most.
CREATE FUNCTION pippin_purge_provider_partings(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM provider_partings WHERE (team_id, provider, identifier_hash, app_id) IN (
            SELECT team_id, provider, identifier_hash, app_id FROM provider_partings
            WHERE noted_at < now() - interval '8 days'
            ORDER BY noted_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;
REVOKE EXECUTE ON FUNCTION pippin_purge_provider_partings FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_provider_partings TO pippin_system;

-- A token is looked for by what the provider calls its person, whoever that is here by now.
CREATE INDEX provider_tokens_identifier ON provider_tokens (team_id, identifier) WHERE identifier IS NOT NULL;
