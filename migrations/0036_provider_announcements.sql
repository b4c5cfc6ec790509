-- Whom native apps announce while the code that proves it is redeemed. Nothing of it touches a person before: a token and
-- its code may both be spent, and the name beside them be anybody's.
CREATE TABLE provider_announcements (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    -- The SHA-256 of what was handed over.
    mark bytea NOT NULL,
    provider text COLLATE "C" NOT NULL CHECK (provider IN ('apple')),
    -- Whom it is about, by the name they have here or would have. No foreign key: they may be nobody yet.
    sub text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    -- The name that comes once, as it came and as a person would be called; NULL where none did.
    form_given_name text,
    form_family_name text,
    form_email text,
    given_name text NOT NULL,
    family_name text NOT NULL,
    announced_at timestamptz NOT NULL,
    -- Until then whoever redeems the code has it alone; what is left waits for the person's next sign-in.
    held_until timestamptz NOT NULL,
    -- Whether an earlier try may have spent the code, so that a refusal says nothing.
    is_doubtful boolean NOT NULL DEFAULT false,
    PRIMARY KEY (team_id, mark)
);
CREATE INDEX provider_announcements_sub ON provider_announcements (team_id, sub);
CREATE INDEX provider_announcements_held_until ON provider_announcements (held_until);
SELECT pippin_wall('provider_announcements');
GRANT SELECT, INSERT, UPDATE, DELETE ON provider_announcements TO pippin_app;

-- A name waits for a year, and what holds none for nobody.
CREATE FUNCTION pippin_purge_provider_announcements(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM provider_announcements WHERE (team_id, mark) IN (
            SELECT team_id, mark FROM provider_announcements
            WHERE held_until < now() - CASE
                WHEN form_given_name IS NULL THEN interval '1 hour' ELSE interval '1 year' END
            ORDER BY held_until LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;
REVOKE EXECUTE ON FUNCTION pippin_purge_provider_announcements FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_provider_announcements TO pippin_system;
