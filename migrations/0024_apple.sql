-- Apple behind: how a group of apps is registered at Apple, the trips of browsers to a provider and back, the people
-- who come that way, and the tokens a provider gave for them.

-- At most one for each primary App ID. The key is one of the same App ID, and says which team of Apple's it is.
ALTER TABLE apple_keys ADD CONSTRAINT apple_keys_of_app_key UNIQUE (team_id, app_id, key_id);
CREATE TABLE apple_connections (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    app_id text COLLATE "C" NOT NULL,
    -- The Services ID at Apple, which is the client of web and Android.
    services_id text COLLATE "C" NOT NULL CHECK (length(services_id) BETWEEN 3 AND 255),
    key_id text COLLATE "C" NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, app_id),
    CONSTRAINT apple_connections_app_id_fkey FOREIGN KEY (team_id, app_id) REFERENCES app_ids,
    CONSTRAINT apple_connections_key_fkey FOREIGN KEY (team_id, app_id, key_id)
        REFERENCES apple_keys (team_id, app_id, key_id)
);
CREATE INDEX apple_connections_key ON apple_connections (team_id, key_id);
CREATE TRIGGER registry_changed AFTER INSERT OR UPDATE OR DELETE ON apple_connections
FOR EACH ROW EXECUTE FUNCTION pippin_registry_changed();
CREATE TRIGGER registry_changed AFTER UPDATE ON apple_keys
FOR EACH ROW EXECUTE FUNCTION pippin_registry_changed();

-- A trip of one browser to a provider, by the SHA-256 of its `state`. What the provider posts is stored before
-- anything else happens; the browser that began the trip goes on from there.
CREATE TABLE provider_trips (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    state_hash bytea NOT NULL,
    provider text COLLATE "C" NOT NULL CHECK (provider IN ('apple')),
    attempt_id text COLLATE "C" NOT NULL,
    browser_hash bytea NOT NULL,
    -- The primary App ID whose registration at the provider is used.
    app_id text COLLATE "C" NOT NULL,
    wants_name boolean NOT NULL,
    wants_email boolean NOT NULL,
    created_at timestamptz NOT NULL,
    -- Sealed: code, id_token, user, error.
    answer_sealed bytea,
    answered_at timestamptz,
    -- Who is at work with the answer has it alone until then.
    claimed_until timestamptz,
    PRIMARY KEY (team_id, state_hash)
);
CREATE INDEX provider_trips_created_at ON provider_trips (created_at);

-- An address that is a provider's relay already: what apps are told is that it is private.
ALTER TABLE users ADD COLUMN is_private_email boolean NOT NULL DEFAULT false;

-- Who a person is at a provider. Somebody who came that way first has the provider's name for them as their `sub`.
CREATE TABLE provider_identities (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    provider text COLLATE "C" NOT NULL CHECK (provider IN ('apple')),
    identifier text COLLATE "C" NOT NULL CHECK (length(identifier) BETWEEN 1 AND 255),
    sub text COLLATE "C" NOT NULL,
    -- What the person is called on the way from one of Apple's teams to another.
    transfer_sub text COLLATE "C",
    real_user_status smallint,
    -- The name vault: what came once, in a form field nobody signed.
    form_given_name text NOT NULL DEFAULT '',
    form_family_name text NOT NULL DEFAULT '',
    form_email text,
    form_received_at timestamptz,
    -- As the provider says of the person's use of the app.
    state text COLLATE "C" NOT NULL DEFAULT 'authorized' CHECK (state IN ('authorized', 'revoked', 'transferred')),
    state_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, provider, identifier),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX provider_identities_sub ON provider_identities (team_id, sub);
CREATE INDEX provider_identities_transfer_sub ON provider_identities (team_id, provider, transfer_sub)
    WHERE transfer_sub IS NOT NULL;

-- The refresh tokens a provider gave, sealed since they must be sent back. No foreign keys: they outlive their person
-- until each is revoked there.
CREATE TABLE provider_tokens (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    -- The first 16 octets of its SHA-256.
    token_id bytea NOT NULL,
    provider text COLLATE "C" NOT NULL CHECK (provider IN ('apple')),
    sub text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    -- The client at the provider that it was given to.
    client_id text COLLATE "C" NOT NULL,
    token_sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    -- 'ending': its revocation is in the outbox. 'refused': it cannot be revoked, and `problem` says why.
    state text COLLATE "C" NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'ending', 'revoked', 'refused')),
    problem text,
    settled_at timestamptz,
    validate_at timestamptz NOT NULL,
    validated_at timestamptz,
    PRIMARY KEY (team_id, token_id)
);
CREATE INDEX provider_tokens_sub ON provider_tokens (team_id, sub, app_id);
CREATE INDEX provider_tokens_validate_at ON provider_tokens (validate_at) WHERE state = 'live';

DO $$
DECLARE
    tenant text;
BEGIN
    FOREACH tenant IN ARRAY ARRAY[
        'apple_connections', 'provider_trips', 'provider_identities', 'provider_tokens'
    ] LOOP
        PERFORM pippin_wall(tenant::regclass);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO pippin_app', tenant);
    END LOOP;
END
$$;

-- Trips that nobody came back from go after an hour; those with an answer are settled first, and go after a week.
CREATE FUNCTION pippin_purge_provider_trips(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM provider_trips WHERE (team_id, state_hash) IN (
            SELECT team_id, state_hash FROM provider_trips
            WHERE created_at < now() - CASE WHEN answered_at IS NULL THEN interval '1 hour' ELSE interval '7 days' END
            ORDER BY created_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;
REVOKE EXECUTE ON FUNCTION pippin_purge_provider_trips FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_provider_trips TO pippin_system;
