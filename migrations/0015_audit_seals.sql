-- Seals of the audit log: each event gets a position in its team's chain within a minute, and a code that depends
-- on the event, the position and the code before. The key never lies in the database, so whoever may write here
-- still cannot change, remove or insert an event without its being found.

-- Events that wait for their seal.
CREATE TABLE audit_unsealed (
    team_id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (team_id, at, event_id)
);

CREATE TABLE audit_seals (
    team_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL CHECK (position > 0),
    at timestamptz NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    sealed_at timestamptz NOT NULL,
    -- Of the master key.
    key_id text COLLATE "C" NOT NULL,
    code bytea NOT NULL CHECK (octet_length(code) = 32),
    PRIMARY KEY (team_id, position),
    CONSTRAINT audit_seals_event_key UNIQUE (team_id, at, event_id)
);

-- The end of each chain, and what is known of it. Its row is locked by the one who seals.
CREATE TABLE audit_chains (
    team_id text COLLATE "C" PRIMARY KEY REFERENCES teams,
    position bigint NOT NULL DEFAULT 0,
    code bytea NOT NULL DEFAULT '',
    sealed_at timestamptz,
    -- The first event that has a seal.
    oldest_at timestamptz,
    verification_asked_at timestamptz,
    verified_at timestamptz,
    verified_position bigint,
    -- What the last verification found; empty where the log is whole.
    findings jsonb NOT NULL DEFAULT '[]'
);

-- Where verification begins once older events were deleted: signed, so that nobody else can move it.
CREATE TABLE audit_checkpoints (
    team_id text COLLATE "C" PRIMARY KEY REFERENCES teams,
    position bigint NOT NULL CHECK (position > 0),
    code bytea NOT NULL,
    latest_at timestamptz NOT NULL,
    made_at timestamptz NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    signature bytea NOT NULL CHECK (octet_length(signature) = 32)
);

DO $$
DECLARE
    tenant text;
BEGIN
    FOREACH tenant IN ARRAY ARRAY['audit_unsealed', 'audit_seals', 'audit_chains', 'audit_checkpoints'] LOOP
        PERFORM pippin_wall(tenant::regclass);
    END LOOP;
END
$$;
GRANT SELECT, DELETE ON audit_unsealed TO pippin_app;
GRANT SELECT, INSERT ON audit_seals TO pippin_app;
GRANT SELECT, INSERT, UPDATE ON audit_chains, audit_checkpoints TO pippin_app;
-- Whose turn it is; neither table knows any person.
CREATE POLICY every_team ON audit_unsealed FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON audit_chains FOR SELECT TO pippin_system USING (true);
GRANT SELECT ON audit_unsealed, audit_chains TO pippin_system;

INSERT INTO audit_unsealed (team_id, at, event_id) SELECT team_id, at, event_id FROM audit_events;

CREATE FUNCTION pippin_audit_waits() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO audit_unsealed (team_id, at, event_id) VALUES (NEW.team_id, NEW.at, NEW.event_id);
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_audit_waits FROM PUBLIC;
CREATE TRIGGER audit_waits AFTER INSERT ON audit_events
FOR EACH ROW EXECUTE FUNCTION pippin_audit_waits();

-- Deletes the team's oldest events, up to a position, with their words and seals. Only what is older than the team
-- keeps events, and only up to a checkpoint from which the rest can be verified.
CREATE FUNCTION pippin_shorten_audit(through bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    team text := pippin_team();
    too_old timestamptz := now() - make_interval(days => (SELECT audit_retention_days FROM teams WHERE team_id = team));
    removed bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM audit_checkpoints WHERE team_id = team AND position = through) THEN
        RAISE EXCEPTION 'there is no checkpoint at %', through;
    END IF;
    IF EXISTS (SELECT FROM audit_seals WHERE team_id = team AND position <= through AND at >= too_old) THEN
        RAISE EXCEPTION 'events up to % are not old enough', through;
    END IF;
    DELETE FROM audit_words w USING audit_seals s, audit_events e
    WHERE s.team_id = team AND s.position <= through
        AND e.team_id = team AND e.at = s.at AND e.event_id = s.event_id
        AND w.team_id = team AND w.word = ANY (e.words) AND w.at = s.at AND w.event_id = s.event_id;
    DELETE FROM audit_events e USING audit_seals s
    WHERE s.team_id = team AND s.position <= through
        AND e.team_id = team AND e.at = s.at AND e.event_id = s.event_id;
    DELETE FROM audit_seals WHERE team_id = team AND position <= through;
    GET DIAGNOSTICS removed = ROW_COUNT;
    UPDATE audit_chains
    SET oldest_at = (SELECT at FROM audit_seals WHERE team_id = team ORDER BY position LIMIT 1)
    WHERE team_id = team;
    RETURN removed;
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_shorten_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_shorten_audit TO pippin_app;

-- Drops the partitions of past months in which no team has anything left.
CREATE FUNCTION pippin_drop_partitions() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    partition text;
    is_used boolean;
BEGIN
    SET LOCAL lock_timeout = '2s';
    FOR partition IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent IN ('audit_events'::regclass, 'audit_words'::regclass)
            AND right(c.relname, 6) < to_char(now() AT TIME ZONE 'UTC' - interval '1 day', 'YYYYMM')
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %I)', partition) INTO is_used;
        IF NOT is_used THEN EXECUTE format('DROP TABLE %I', partition); END IF;
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_drop_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_drop_partitions TO pippin_system;
