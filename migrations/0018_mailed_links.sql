-- What is proved by a mailed link: the address of an account to be, a new address, or the right to choose another
-- password. Known by the SHA-256 of the link's token only; used once, by removing the row.
CREATE TABLE mailed_links (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    token_hash bytea NOT NULL,
    purpose text COLLATE "C" NOT NULL CHECK (purpose IN ('registration', 'password', 'email')),
    -- Whose account it is; nobody's yet while one is being made.
    sub text COLLATE "C",
    -- Where the link was sent.
    email text NOT NULL CHECK (length(email) <= 254),
    given_name text NOT NULL DEFAULT '',
    family_name text NOT NULL DEFAULT '',
    password_hash text,
    -- The sign-in that goes on when the link is followed in the browser it began in.
    attempt_id text COLLATE "C",
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, token_hash),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE,
    CONSTRAINT mailed_links_sub_check CHECK ((purpose = 'registration') = (sub IS NULL)),
    CONSTRAINT mailed_links_password_check CHECK ((purpose = 'registration') = (password_hash IS NOT NULL))
);
CREATE INDEX mailed_links_sub ON mailed_links (team_id, sub);
SELECT pippin_wall('mailed_links');
GRANT SELECT, INSERT, UPDATE, DELETE ON mailed_links TO pippin_app;

-- Links nobody followed; at most `batch` a call, the oldest first.
CREATE INDEX mailed_links_expires_at ON mailed_links (expires_at);
CREATE FUNCTION pippin_purge_mailed_links(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM mailed_links WHERE (team_id, token_hash) IN (
            SELECT team_id, token_hash FROM mailed_links WHERE expires_at <= now()
            ORDER BY expires_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;
REVOKE EXECUTE ON FUNCTION pippin_purge_mailed_links FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_mailed_links TO pippin_system;
