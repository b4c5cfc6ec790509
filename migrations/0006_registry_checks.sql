-- What Pippin asks the world about a team's registry: whether a domain serves the association file issued for it, and
-- what a domain's mail records say. And keys that a team has from Apple.

-- The domains of a team's Service IDs, each once. The token is the content of its association file.
CREATE TABLE domains (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    domain text COLLATE "C" NOT NULL CHECK (length(domain) BETWEEN 1 AND 253),
    token text NOT NULL DEFAULT replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
    created_at timestamptz NOT NULL DEFAULT now(),
    is_verified boolean NOT NULL DEFAULT false,
    -- Since when every check found something else than the file; NULL when the last one found it.
    failed_since timestamptz,
    checked_at timestamptz,
    -- What the last check found.
    finding text CHECK (finding IN (
        'served', 'redirected', 'otherStatus', 'otherContent', 'lineBreak', 'tooLong', 'addressRefused',
        'nameNotFound', 'unreachable', 'untrusted', 'deadlinePassed', 'malformed'
    )),
    status integer,
    detail text CHECK (length(detail) <= 500),
    check_due_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, domain),
    CHECK ((finding IS NULL) = (checked_at IS NULL))
);
SELECT pippin_wall('domains');
GRANT SELECT, INSERT, UPDATE, DELETE ON domains TO pippin_app;

INSERT INTO domains (team_id, domain) SELECT DISTINCT team_id, domain FROM service_domains;

-- The engine's snapshot knows which domains are verified, and nothing else of them.
CREATE TRIGGER registry_changed AFTER UPDATE OF is_verified ON domains
FOR EACH ROW WHEN (OLD.is_verified IS DISTINCT FROM NEW.is_verified) EXECUTE FUNCTION pippin_registry_changed();

-- A domain comes with the first Service ID that names it and goes with the last.
CREATE FUNCTION pippin_keep_domains() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO domains (team_id, domain) VALUES (NEW.team_id, NEW.domain) ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM domains AS d
        WHERE d.team_id = OLD.team_id AND d.domain = OLD.domain AND NOT EXISTS (
            SELECT FROM service_domains AS s WHERE s.team_id = OLD.team_id AND s.domain = OLD.domain
        );
    END IF;
    RETURN NULL;
END
$$;
CREATE INDEX service_domains_domain ON service_domains (team_id, domain);
CREATE TRIGGER keep_domains AFTER INSERT OR DELETE ON service_domains
FOR EACH ROW EXECUTE FUNCTION pippin_keep_domains();

-- The records of an e-mail source: one for SPF, one for each DKIM selector that the team names.
ALTER TABLE email_sources
    ADD COLUMN dkim_selectors text[] NOT NULL DEFAULT '{}'
        CONSTRAINT email_sources_dkim_selectors_check CHECK (cardinality(dkim_selectors) <= 5),
    ADD COLUMN version integer NOT NULL DEFAULT 1,
    -- What the last check found of each record, as the page shows it.
    ADD COLUMN records jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN checked_at timestamptz,
    ADD COLUMN check_due_at timestamptz NOT NULL DEFAULT now();

-- Keys that a team has from Apple, to sign Pippin's client secrets there. At most two for each primary App ID: each
-- takes one of two slots, so that a new one can stand beside the old.
CREATE TABLE apple_keys (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    key_id text COLLATE "C" NOT NULL CHECK (key_id ~ '^[A-Z0-9]{10}$'),
    apple_team_id text COLLATE "C" NOT NULL CHECK (apple_team_id ~ '^[A-Z0-9]{10}$'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    app_id text COLLATE "C" NOT NULL,
    slot smallint NOT NULL CONSTRAINT apple_keys_slot_check CHECK (slot BETWEEN 1 AND 2),
    fingerprint text NOT NULL,
    private_key_sealed bytea NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, key_id),
    CONSTRAINT apple_keys_app_id_fkey FOREIGN KEY (team_id, app_id) REFERENCES app_ids,
    CONSTRAINT apple_keys_slot_key UNIQUE (team_id, app_id, slot)
);
SELECT pippin_wall('apple_keys');
GRANT SELECT, INSERT, UPDATE, DELETE ON apple_keys TO pippin_app;
