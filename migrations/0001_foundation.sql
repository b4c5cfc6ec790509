-- The foundation: two roles, the wall between teams, the registry, the directory, sign-ins and tokens, the audit
-- log. Every tenant table begins with team_id in its primary key and carries the policy of row-level security;
-- a test fails for one that does not.

-- Roles belong to the cluster, so another database of it may have made them already.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pippin_app') THEN
        CREATE ROLE pippin_app NOLOGIN NOBYPASSRLS;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pippin_system') THEN
        CREATE ROLE pippin_system NOLOGIN NOBYPASSRLS;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL; -- another migration of the same cluster was faster
END
$$;
DO $$ BEGIN EXECUTE format('GRANT pippin_app, pippin_system TO %I', current_user); END $$;

-- The team of the transaction. Unset, or set for an earlier transaction only, is a mistake of ours, never
-- "no rows". In SQL, so that it becomes part of each plan: a call would cost more than the row it guards.
CREATE FUNCTION pippin_no_team() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RAISE EXCEPTION 'no team is set for this transaction' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE FUNCTION pippin_team() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(nullif(current_setting('pippin.team', true), ''), pippin_no_team());

-- Walls a table off: only the rows of the transaction's team can be seen or written.
CREATE FUNCTION pippin_wall(target regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format(
        'CREATE POLICY team ON %s TO pippin_app USING (team_id = pippin_team()) WITH CHECK (team_id = pippin_team())',
        target
    );
END
$$;

-- Teams ------------------------------------------------------------------------------------------------------

-- A deleted team keeps its row, so that its id is never given out again.
CREATE TABLE teams (
    team_id text COLLATE "C" PRIMARY KEY CONSTRAINT teams_team_id_check CHECK (team_id ~ '^[A-Z0-9]{10}$'),
    name text NOT NULL CONSTRAINT teams_name_check CHECK (length(name) BETWEEN 1 AND 100),
    mode text NOT NULL CHECK (mode IN ('production', 'sandbox')),
    is_system boolean NOT NULL DEFAULT false,
    identity_sources text[] NOT NULL DEFAULT '{directory}',
    second_factor text NOT NULL DEFAULT 'optional' CHECK (second_factor IN ('off', 'optional', 'required')),
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz
);
CREATE UNIQUE INDEX teams_is_system_key ON teams (is_system) WHERE is_system;
SELECT pippin_wall('teams');
CREATE POLICY every_team ON teams TO pippin_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON teams TO pippin_app;
GRANT SELECT, INSERT ON teams TO pippin_system;

-- A member of a team is a user of the system team; an operator is a member of the system team itself.
CREATE TABLE memberships (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    sub text COLLATE "C" NOT NULL,
    role text NOT NULL CHECK (role IN ('operator', 'owner', 'admin', 'developer', 'auditor')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, sub),
    CONSTRAINT memberships_operator_check CHECK ((role = 'operator') = (team_id = 'PIPPIN0000'))
);
CREATE INDEX memberships_sub ON memberships (sub, team_id);
SELECT pippin_wall('memberships');
CREATE POLICY every_team ON memberships FOR SELECT TO pippin_system USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON memberships TO pippin_app;
GRANT SELECT ON memberships TO pippin_system;

-- One-time links for the first operator. Known by the SHA-256 of their token only.
CREATE TABLE setup_links (
    token_hash bytea PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz
);
GRANT SELECT, INSERT, UPDATE, DELETE ON setup_links TO pippin_system;

-- Raised with every change of what the engine caches of a team; read by every process twice a second.
CREATE TABLE registry_versions (
    team_id text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    changed_at timestamptz NOT NULL
);
CREATE INDEX registry_versions_changed_at ON registry_versions (changed_at);
ALTER TABLE registry_versions ENABLE ROW LEVEL SECURITY;
CREATE POLICY team ON registry_versions FOR SELECT TO pippin_app USING (team_id = pippin_team());
CREATE POLICY every_team ON registry_versions FOR SELECT TO pippin_system USING (true);
GRANT SELECT ON registry_versions TO pippin_app, pippin_system;

CREATE FUNCTION pippin_registry_changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    team text := CASE WHEN TG_OP = 'DELETE' THEN OLD.team_id ELSE NEW.team_id END;
BEGIN
    INSERT INTO registry_versions AS known (team_id, version, changed_at)
    VALUES (team, 1, clock_timestamp())
    ON CONFLICT (team_id) DO UPDATE SET version = known.version + 1, changed_at = clock_timestamp();
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_registry_changed FROM PUBLIC;
CREATE TRIGGER registry_changed AFTER INSERT OR UPDATE OR DELETE ON teams
FOR EACH ROW EXECUTE FUNCTION pippin_registry_changed();

-- Registry ---------------------------------------------------------------------------------------------------

-- Bundle IDs and Service IDs share one space of names: unique in the team whatever the case.
CREATE TABLE client_identifiers (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    identifier text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('app', 'service')),
    PRIMARY KEY (team_id, identifier),
    CONSTRAINT client_identifiers_identifier_check
        CHECK (length(identifier) <= 255 AND identifier ~ '^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$'),
    UNIQUE (team_id, identifier, kind)
);
CREATE UNIQUE INDEX client_identifiers_identifier_key ON client_identifiers (team_id, lower(identifier));

CREATE TABLE app_ids (
    team_id text COLLATE "C" NOT NULL,
    identifier text COLLATE "C" NOT NULL,
    kind text NOT NULL DEFAULT 'app' CHECK (kind = 'app'),
    description text NOT NULL CHECK (length(description) BETWEEN 1 AND 255),
    is_enabled boolean NOT NULL DEFAULT true,
    -- The App ID it is grouped under; NULL is a primary App ID.
    primary_identifier text COLLATE "C",
    notification_url text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, identifier),
    FOREIGN KEY (team_id, identifier, kind) REFERENCES client_identifiers (team_id, identifier, kind)
        ON DELETE CASCADE,
    CONSTRAINT app_ids_primary_fkey FOREIGN KEY (team_id, primary_identifier) REFERENCES app_ids,
    CONSTRAINT app_ids_primary_check CHECK (primary_identifier <> identifier)
);
CREATE INDEX app_ids_primary ON app_ids (team_id, primary_identifier) WHERE primary_identifier IS NOT NULL;

-- At most five per App ID: each takes one of five slots.
CREATE TABLE service_ids (
    team_id text COLLATE "C" NOT NULL,
    identifier text COLLATE "C" NOT NULL,
    kind text NOT NULL DEFAULT 'service' CHECK (kind = 'service'),
    app_id text COLLATE "C" NOT NULL,
    slot smallint NOT NULL CONSTRAINT service_ids_slot_check CHECK (slot BETWEEN 1 AND 5),
    description text NOT NULL CHECK (length(description) BETWEEN 1 AND 255),
    issuer text NOT NULL DEFAULT 'own' CHECK (issuer IN ('own', 'apple')),
    booleans text NOT NULL DEFAULT 'json' CHECK (booleans IN ('json', 'string')),
    requires_pkce boolean NOT NULL DEFAULT false,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, identifier),
    FOREIGN KEY (team_id, identifier, kind) REFERENCES client_identifiers (team_id, identifier, kind)
        ON DELETE CASCADE,
    CONSTRAINT service_ids_app_id_fkey FOREIGN KEY (team_id, app_id) REFERENCES app_ids,
    CONSTRAINT service_ids_slot_key UNIQUE (team_id, app_id, slot)
);

CREATE TABLE service_domains (
    team_id text COLLATE "C" NOT NULL,
    service_id text COLLATE "C" NOT NULL,
    domain text COLLATE "C" NOT NULL CHECK (length(domain) BETWEEN 1 AND 253),
    PRIMARY KEY (team_id, service_id, domain),
    FOREIGN KEY (team_id, service_id) REFERENCES service_ids ON DELETE CASCADE
);

-- At most ten per Service ID: each takes one of ten slots.
CREATE TABLE return_urls (
    team_id text COLLATE "C" NOT NULL,
    service_id text COLLATE "C" NOT NULL,
    slot smallint NOT NULL CONSTRAINT return_urls_slot_check CHECK (slot BETWEEN 1 AND 10),
    url text COLLATE "C" NOT NULL CHECK (octet_length(url) BETWEEN 1 AND 2048),
    PRIMARY KEY (team_id, service_id, slot),
    CONSTRAINT return_urls_url_key UNIQUE (team_id, service_id, url),
    FOREIGN KEY (team_id, service_id) REFERENCES service_ids ON DELETE CASCADE
);

-- Keys issued here. At most two active ones per App ID: each takes one of two slots, and revoking frees it.
-- The private half stays, sealed, until its one download.
CREATE TABLE keys (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    key_id text COLLATE "C" NOT NULL CHECK (key_id ~ '^[A-Z0-9]{10}$'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    app_id text COLLATE "C" NOT NULL,
    slot smallint CONSTRAINT keys_slot_check CHECK (slot BETWEEN 1 AND 2),
    public_key_pem text NOT NULL,
    fingerprint text NOT NULL,
    private_key_sealed bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    downloaded_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (team_id, key_id),
    CONSTRAINT keys_app_id_fkey FOREIGN KEY (team_id, app_id) REFERENCES app_ids,
    CONSTRAINT keys_slot_key UNIQUE (team_id, app_id, slot),
    CONSTRAINT keys_active_check CHECK ((slot IS NULL) = (revoked_at IS NOT NULL))
);

-- Apart from the key, so that using a key is not a change of the registry.
CREATE TABLE key_uses (
    team_id text COLLATE "C" NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    last_used_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, key_id),
    FOREIGN KEY (team_id, key_id) REFERENCES keys ON DELETE CASCADE
);

CREATE TABLE email_sources (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    source text COLLATE "C" NOT NULL CHECK (length(source) BETWEEN 1 AND 254),
    kind text NOT NULL CHECK (kind IN ('domain', 'address')),
    slot smallint NOT NULL CONSTRAINT email_sources_slot_check CHECK (slot BETWEEN 1 AND 100),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, source),
    CONSTRAINT email_sources_slot_key UNIQUE (team_id, slot)
);

-- The RSA keys a team signs its tokens with.
CREATE TABLE signing_keys (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    kid text COLLATE "C" NOT NULL,
    private_key_sealed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    active_from timestamptz NOT NULL,
    retires_at timestamptz,
    PRIMARY KEY (team_id, kid)
);

-- Directory --------------------------------------------------------------------------------------------------

CREATE TABLE users (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    sub text COLLATE "C" NOT NULL CHECK (length(sub) BETWEEN 1 AND 255),
    given_name text NOT NULL DEFAULT '',
    family_name text NOT NULL DEFAULT '',
    email text,
    is_email_verified boolean NOT NULL DEFAULT false,
    relay_address text,
    -- Lower-cased, for search by prefix; the names in both orders.
    email_key text COLLATE "C" GENERATED ALWAYS AS (lower(email)) STORED,
    name_key text COLLATE "C" GENERATED ALWAYS AS (lower(given_name || ' ' || family_name)) STORED,
    family_key text COLLATE "C" GENERATED ALWAYS AS (lower(family_name)) STORED,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_sign_in_at timestamptz,
    suspended_at timestamptz,
    PRIMARY KEY (team_id, sub)
);
CREATE INDEX users_created_at ON users (team_id, created_at DESC, sub);
CREATE INDEX users_email_key ON users (team_id, email_key);
CREATE INDEX users_name_key ON users (team_id, name_key);
CREATE INDEX users_family_key ON users (team_id, family_key);
CREATE UNIQUE INDEX users_relay_address_key ON users (team_id, relay_address);

ALTER TABLE memberships ADD COLUMN system_team_id text COLLATE "C" NOT NULL DEFAULT 'PIPPIN0000'
    CHECK (system_team_id = 'PIPPIN0000');
ALTER TABLE memberships ADD CONSTRAINT memberships_sub_fkey
    FOREIGN KEY (system_team_id, sub) REFERENCES users (team_id, sub) ON DELETE CASCADE;

CREATE TABLE login_names (
    team_id text COLLATE "C" NOT NULL,
    login text COLLATE "C" NOT NULL CHECK (login = lower(login) AND length(login) BETWEEN 1 AND 254),
    sub text COLLATE "C" NOT NULL,
    CONSTRAINT login_names_login_key PRIMARY KEY (team_id, login),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX login_names_sub ON login_names (team_id, sub);

CREATE TABLE passwords (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    hash text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, sub),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);

-- Sessions at a team's hosted pages. Known by the SHA-256 of the cookie's token only.
CREATE TABLE sessions (
    team_id text COLLATE "C" NOT NULL,
    token_hash bytea NOT NULL,
    sub text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    ip text NOT NULL,
    user_agent text NOT NULL,
    PRIMARY KEY (team_id, token_hash),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX sessions_sub ON sessions (team_id, sub);

-- What a person shares with one group of apps, and whether `user` has reached it.
CREATE TABLE consents (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    shares_name boolean NOT NULL,
    shares_email boolean NOT NULL,
    hides_email boolean NOT NULL,
    given_name text NOT NULL DEFAULT '',
    family_name text NOT NULL DEFAULT '',
    granted_at timestamptz NOT NULL,
    ip text NOT NULL,
    delivered_at timestamptz,
    PRIMARY KEY (team_id, sub, app_id),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE,
    FOREIGN KEY (team_id, app_id) REFERENCES app_ids ON DELETE CASCADE
);
CREATE INDEX consents_app_id ON consents (team_id, app_id);

-- Counts what may not happen too often, such as wrong passwords; one row per thing counted.
CREATE TABLE limits (
    team_id text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    window_ends_at timestamptz NOT NULL,
    count integer NOT NULL,
    PRIMARY KEY (team_id, subject)
);
CREATE INDEX limits_window_ends_at ON limits (window_ends_at);

-- Sign-ins ---------------------------------------------------------------------------------------------------

-- Sign-ins under way. The slot is a quarter of an hour: an id names its slot, and the slot to be used next is
-- emptied beforehand, so old rows cost nothing.
CREATE TABLE attempts (
    team_id text COLLATE "C" NOT NULL,
    slot smallint NOT NULL,
    attempt_id text COLLATE "C" NOT NULL,
    browser_hash bytea NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    redirect_uri text NOT NULL,
    response_type text NOT NULL,
    response_mode text NOT NULL,
    wants_name boolean NOT NULL,
    wants_email boolean NOT NULL,
    state text,
    nonce text,
    code_challenge text,
    trial_id text COLLATE "C",
    created_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, slot, attempt_id)
) PARTITION BY LIST (slot);
CREATE TABLE attempts_0 PARTITION OF attempts FOR VALUES IN (0);
CREATE TABLE attempts_1 PARTITION OF attempts FOR VALUES IN (1);
CREATE TABLE attempts_2 PARTITION OF attempts FOR VALUES IN (2);
CREATE TABLE attempts_3 PARTITION OF attempts FOR VALUES IN (3);

-- Codes given to apps, by hash. Kept a while after use, so that a second redemption is known as one.
CREATE TABLE authorization_codes (
    team_id text COLLATE "C" NOT NULL,
    slot smallint NOT NULL,
    code_hash bytea NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    redirect_uri text,
    nonce text,
    code_challenge text,
    -- What the id_token says of the address: nothing, the person's own, or the relay's.
    email text,
    is_email_verified boolean NOT NULL DEFAULT false,
    is_private_email boolean NOT NULL DEFAULT false,
    delivers_user boolean NOT NULL,
    trial_id text COLLATE "C",
    authenticated_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    redeemed_at timestamptz,
    -- The refresh token its redemption issued.
    token_id bytea,
    PRIMARY KEY (team_id, slot, code_hash)
) PARTITION BY LIST (slot);
CREATE TABLE authorization_codes_0 PARTITION OF authorization_codes FOR VALUES IN (0);
CREATE TABLE authorization_codes_1 PARTITION OF authorization_codes FOR VALUES IN (1);
CREATE TABLE authorization_codes_2 PARTITION OF authorization_codes FOR VALUES IN (2);
CREATE TABLE authorization_codes_3 PARTITION OF authorization_codes FOR VALUES IN (3);

-- Ending an authorization ends the person's codes.
CREATE INDEX authorization_codes_sub ON authorization_codes (team_id, sub);

-- Empties the slot that the quarter of an hour after next will use. Owned by the migrating role, since TRUNCATE
-- knows no rows and so no teams.
CREATE FUNCTION pippin_empty_slot(slot integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF slot NOT BETWEEN 0 AND 3 OR slot = (extract(epoch FROM now())::bigint / 900) % 4
        OR slot = (extract(epoch FROM now())::bigint / 900 + 3) % 4 THEN
        RAISE EXCEPTION 'slot % is in use', slot;
    END IF;
    EXECUTE format('TRUNCATE attempts_%s, authorization_codes_%s', slot, slot);
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_empty_slot FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_empty_slot TO pippin_system;

-- Refresh tokens, by the first 16 octets of their SHA-256. No foreign keys: this is the hot path, and whoever
-- deletes a user deletes these first.
CREATE TABLE refresh_tokens (
    team_id text COLLATE "C" NOT NULL,
    token_id bytea NOT NULL,
    sub text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    trial_id text COLLATE "C",
    authenticated_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (team_id, token_id)
) WITH (fillfactor = 80);
CREATE INDEX refresh_tokens_sub ON refresh_tokens (team_id, sub, app_id);

-- The clients that have redeemed a code at least once: the first time is worth an audit event.
CREATE TABLE redeeming_clients (
    team_id text COLLATE "C" NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    first_redeemed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, client_id)
);

-- Try it: a sign-in that a member runs as one of the team's Service IDs. Its key and return URL are known to the
-- engine for ten minutes and for this trial alone.
CREATE TABLE trials (
    team_id text COLLATE "C" NOT NULL,
    trial_id text COLLATE "C" NOT NULL,
    service_id text COLLATE "C" NOT NULL,
    session_hash bytea NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    private_key_sealed bytea NOT NULL,
    public_key_pem text NOT NULL,
    return_url text COLLATE "C" NOT NULL,
    nonce text NOT NULL,
    state text NOT NULL,
    wants_name boolean NOT NULL,
    wants_email boolean NOT NULL,
    response_mode text NOT NULL,
    response_type text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    -- What was sent and answered, step by step, as the page shows it.
    steps jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (team_id, trial_id),
    UNIQUE (team_id, key_id),
    FOREIGN KEY (team_id, service_id) REFERENCES service_ids ON DELETE CASCADE
);

-- Audit ------------------------------------------------------------------------------------------------------

-- Append-only: nobody but the owner of the table may change or remove an event.
CREATE TABLE audit_events (
    team_id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    event_id text COLLATE "C" NOT NULL DEFAULT gen_random_uuid()::text,
    actor_kind text NOT NULL CHECK (actor_kind IN ('person', 'member', 'client', 'command', 'system')),
    actor text NOT NULL,
    action text COLLATE "C" NOT NULL,
    target_kind text NOT NULL,
    target text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('succeeded', 'refused')),
    ip text,
    user_agent text,
    request_id text,
    before jsonb,
    after jsonb,
    PRIMARY KEY (team_id, at, event_id)
) PARTITION BY RANGE (at);

-- The history of one thing, such as a user: found without walking through the team's whole log.
CREATE INDEX audit_events_target ON audit_events (team_id, target_kind, target, at);

-- Makes the partitions of this month and the next two. Called by the migration and daily by a running server.
CREATE FUNCTION pippin_make_partitions() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    month date;
BEGIN
    FOR ahead IN 0..2 LOOP
        month := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead);
        EXECUTE format(
            'CREATE TABLE IF NOT EXISTS audit_events_%s PARTITION OF audit_events FOR VALUES FROM (%L) TO (%L)',
            to_char(month, 'YYYYMM'),
            to_char(month, 'YYYY-MM-DD') || ' 00:00:00+00',
            to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00'
        );
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_make_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_make_partitions TO pippin_system;
SELECT pippin_make_partitions();

-- Walls and rights -------------------------------------------------------------------------------------------

DO $$
DECLARE
    tenant text;
BEGIN
    FOREACH tenant IN ARRAY ARRAY[
        'client_identifiers', 'app_ids', 'service_ids', 'service_domains', 'return_urls', 'keys', 'key_uses',
        'email_sources', 'signing_keys', 'users', 'login_names', 'passwords', 'sessions', 'consents', 'limits',
        'attempts', 'authorization_codes', 'refresh_tokens', 'redeeming_clients', 'trials', 'audit_events'
    ] LOOP
        PERFORM pippin_wall(tenant::regclass);
        EXECUTE format('GRANT SELECT, INSERT ON %I TO pippin_app', tenant);
        IF tenant <> 'audit_events' THEN
            EXECUTE format('GRANT UPDATE, DELETE ON %I TO pippin_app', tenant);
        END IF;
    END LOOP;
    FOREACH tenant IN ARRAY ARRAY[
        'app_ids', 'service_ids', 'service_domains', 'return_urls', 'keys', 'signing_keys'
    ] LOOP
        EXECUTE format(
            'CREATE TRIGGER registry_changed AFTER INSERT OR UPDATE OR DELETE ON %I '
            'FOR EACH ROW EXECUTE FUNCTION pippin_registry_changed()',
            tenant
        );
    END LOOP;
END
$$;

-- The system team, whose users are the console's people. It has no App IDs and appears in no list.
INSERT INTO teams (team_id, name, mode, is_system) VALUES ('PIPPIN0000', 'Pippin', 'production', true);
