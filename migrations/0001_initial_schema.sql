-- runs-with: 0001
-- needed: now
--
-- The schema: roles, tables with their indexes, functions and triggers, grouped by the module that owns the tables
-- (migrations/owners); then row-level security, rights, and the rows that every installation begins with.
--
-- A row belongs to the team in `team_id`, which begins the primary key. What belongs to the whole installation lies
-- with the system team, PIPPIN0000, or in a table without `team_id`. A table without a foreign key to what it names is
-- written often, or its rows outlive what they name.

-- Roles ------------------------------------------------------------------------------------------------------

-- Each connection of a server has one of two roles: pippin_app works for one team a transaction, pippin_system for the
-- installation. Roles belong to the whole cluster: another database of it, or its administrator, may have made them.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pippin_app') THEN
        CREATE ROLE pippin_app NOLOGIN NOBYPASSRLS;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pippin_system') THEN
        CREATE ROLE pippin_system NOLOGIN NOBYPASSRLS;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL; -- a migration of another database of the cluster made them at the same time
END
$$;
-- The owner of the tables is a member of both. One who is already, and may not grant them, stays as it is.
DO $$
BEGIN
    EXECUTE format('GRANT pippin_app, pippin_system TO %I', current_user);
EXCEPTION WHEN insufficient_privilege THEN
    IF NOT (pg_has_role('pippin_app', 'MEMBER') AND pg_has_role('pippin_system', 'MEMBER')) THEN RAISE; END IF;
END
$$;

-- The team of a transaction, and row-level security ----------------------------------------------------------

-- Refuses statements of pippin_app outside a team. The owner of the tables is a member of pippin_app, so the policies
-- of that role are evaluated for the owner too, with no team set, and by the planner, which evaluates stable functions
-- early: for every other role no team is a team without rows.
CREATE FUNCTION pippin_no_team() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF current_user = 'pippin_app' THEN
        RAISE EXCEPTION 'no team is set for this transaction' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$;

-- The team of the transaction, from the setting pippin.team. A setting that is absent, or empty because an earlier
-- transaction had it, is a mistake in Pippin and never "no rows". Written in SQL so that it is inlined into each plan:
-- a call would cost more than the row it guards.
CREATE FUNCTION pippin_team() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(nullif(current_setting('pippin.team', true), ''), pippin_no_team());

-- Whether the owner of the tables may see rows: in functions that run with the owner's rights, which are called under
-- one of the two roles, and in sessions that set pippin.owner, as migrations do. In any other session the owner sees no
-- row: behind a pooler that drops the role from the start of a connection, after a restored dump, by a mistake.
CREATE FUNCTION pippin_owner_acts() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN current_setting('role') <> 'none' OR coalesce(current_setting('pippin.owner', true), '') = 'on';

-- Row-level security for the owner of a table, too. Only superusers and roles with BYPASSRLS pass it.
CREATE FUNCTION pippin_force_rls(target regclass) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    rule text := format(
        'ON %s %%s TO %I USING (pippin_owner_acts()) WITH CHECK (pippin_owner_acts())',
        target, (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = target)
    );
BEGIN
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
    -- One lets the owner act; the other holds the owner where it has the policies of the roles it is a member of.
    EXECUTE format('CREATE POLICY owner ' || rule, 'AS PERMISSIVE');
    EXECUTE format('CREATE POLICY owner_held ' || rule, 'AS RESTRICTIVE');
END
$$;

-- Row-level security for a table with team_id: pippin_app sees and writes only rows of the transaction's team.
CREATE FUNCTION pippin_enable_rls(target regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format(
        'CREATE POLICY team ON %s TO pippin_app USING (team_id = pippin_team()) WITH CHECK (team_id = pippin_team())',
        target
    );
    PERFORM pippin_force_rls(target);
END
$$;

-- Providers --------------------------------------------------------------------------------------------------

-- The id of a provider that users sign in at, such as 'apple'. Any of this form, but no word for a team's own ways to sign
-- in: which there are is up to the release.
CREATE FUNCTION pippin_is_provider_id(id text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id ~ '^[a-z][a-z0-9-]{0,31}$' AND id NOT IN ('directory', 'password', 'passkey', 'totp');
CREATE DOMAIN provider_id AS text COLLATE "C" CONSTRAINT provider_id_check CHECK (pippin_is_provider_id(VALUE));

-- Teams and their members ------------------------------------------------------------------------------------

-- A team with its settings, in one row so that reading a team costs one look-up. The row of a deleted team stays, so
-- that its id is never given to another team.
CREATE TABLE teams (
    team_id text COLLATE "C" PRIMARY KEY CONSTRAINT teams_team_id_check CHECK (team_id ~ '^[A-Z0-9]{10}$'),
    name text NOT NULL CONSTRAINT teams_name_check CHECK (length(name) BETWEEN 1 AND 100),
    mode text NOT NULL CHECK (mode IN ('production', 'sandbox')),
    is_system boolean NOT NULL DEFAULT false,
    accent_colour text CONSTRAINT teams_accent_colour_check CHECK (accent_colour ~ '^#[0-9a-f]{6}$'),
    privacy_url text CHECK (octet_length(privacy_url) <= 2048),
    terms_url text CHECK (octet_length(terms_url) <= 2048),
    identity_sources text[] NOT NULL DEFAULT '{directory}',
    registration text NOT NULL DEFAULT 'open' CHECK (registration IN ('open', 'invitation', 'off')),
    second_factor text NOT NULL DEFAULT 'optional' CHECK (second_factor IN ('off', 'optional', 'required')),
    -- Return URLs work on verified domains only.
    requires_verified_domains boolean NOT NULL DEFAULT false,
    id_token_seconds integer NOT NULL DEFAULT 600 CHECK (id_token_seconds BETWEEN 60 AND 86400),
    audit_retention_days integer NOT NULL DEFAULT 400 CHECK (audit_retention_days BETWEEN 30 AND 3650),
    -- The name of the notification of a deleted account: Apple's documents have both.
    account_delete_event text NOT NULL DEFAULT 'account-delete'
        CHECK (account_delete_event IN ('account-delete', 'account-deleted')),
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The deletion, in order: it is requested, and due at the end of a grace period in which it can be cancelled; the
    -- team is closed, so that none of its addresses answers, while its members still read its console and the tokens
    -- that providers gave are revoked there; its row is marked, and from then on no one reaches it; its rows are gone.
    deletion_due_at timestamptz,
    closed_at timestamptz,
    deleted_at timestamptz,
    emptied_at timestamptz
);
CREATE UNIQUE INDEX teams_is_system_key ON teams (is_system) WHERE is_system;
CREATE INDEX teams_created_at ON teams (created_at DESC, team_id) WHERE NOT is_system;
CREATE INDEX teams_name ON teams ((lower(name) COLLATE "C")) WHERE NOT is_system;
CREATE INDEX teams_leaving ON teams (team_id)
WHERE emptied_at IS NULL AND (deleted_at IS NOT NULL OR deletion_due_at IS NOT NULL);

-- The logo of a team's sign-in pages. Apart from the team, so that reading the team does not read the image.
CREATE TABLE team_logos (
    team_id text COLLATE "C" PRIMARY KEY REFERENCES teams,
    -- SHA-256; part of the logo's address, so that browsers may cache it for ever.
    digest text COLLATE "C" NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
    media_type text NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp')),
    octets bytea NOT NULL CHECK (octet_length(octets) <= 262144)
);

-- The membership of a console account, which is a user of the system team, in a team. Operators are the members of the
-- system team itself. The foreign key to users stands below that table.
CREATE TABLE memberships (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    sub text COLLATE "C" NOT NULL,
    role text NOT NULL CHECK (role IN ('operator', 'owner', 'admin', 'developer', 'auditor')),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The team of the user, for the foreign key.
    system_team_id text COLLATE "C" NOT NULL DEFAULT 'PIPPIN0000' CHECK (system_team_id = 'PIPPIN0000'),
    PRIMARY KEY (team_id, sub),
    CONSTRAINT memberships_operator_check CHECK ((role = 'operator') = (team_id = 'PIPPIN0000'))
);
CREATE INDEX memberships_sub ON memberships (sub, team_id);

-- An open invitation of a person to become a member of a team.
CREATE TABLE invitations (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    invitation_id text COLLATE "C" NOT NULL CHECK (invitation_id ~ '^[A-Z0-9]{10}$'),
    -- SHA-256 of the token in the one-time link.
    token_hash bytea NOT NULL,
    email text NOT NULL CHECK (length(email) <= 254),
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'auditor')),
    -- The member who invited; that membership may have ended since.
    invited_by text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, invitation_id)
);
-- An address has one open invitation to a team; a second one replaces the first.
CREATE UNIQUE INDEX invitations_email_key ON invitations (team_id, lower(email));
-- The link leads to its team, so it is looked up before a team is known.
CREATE UNIQUE INDEX invitations_token_hash_key ON invitations (token_hash);

-- A one-time link for the first operator.
CREATE TABLE setup_links (
    -- SHA-256 of its token.
    token_hash bytea PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz
);

-- Whether a team gives and takes App IDs: not once it is closed. Teams do not see one another, so this function
-- answers for them, and tells nothing else.
CREATE FUNCTION pippin_team_is_open(asked text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM teams WHERE team_id = asked AND coalesce(closed_at, deleted_at) IS NULL)
$$;

-- The same of two teams that agree on a transfer. Until the transaction ends they stay as they are, and agree on no
-- other.
CREATE FUNCTION pippin_lock_open_teams(one text, other text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM FROM teams WHERE team_id IN (one, other) ORDER BY team_id FOR NO KEY UPDATE;
    RETURN pippin_team_is_open(one) AND pippin_team_is_open(other);
END
$$;

-- The tables whose rows go with a deleted team, each before those that its rows reference, so that no deletion cascades
-- far. Read from the catalogue, so that tables of later migrations are among them. The team's row and its audit log
-- stay.
CREATE FUNCTION pippin_tenant_tables() RETURNS SETOF regclass
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    WITH RECURSIVE tenants AS (
        SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            AND a.attname = 'team_id' AND NOT a.attisdropped
            AND c.relname NOT IN (
                'teams', 'registry_versions', 'audit_events', 'audit_words', 'audit_unsealed', 'audit_seals',
                'audit_chains', 'audit_checkpoints'
            )
    ), paths AS (
        SELECT oid, 0 AS depth FROM tenants
        UNION ALL
        SELECT f.conrelid, p.depth + 1 FROM paths p
        JOIN pg_constraint f ON f.confrelid = p.oid AND f.contype = 'f' AND f.conrelid <> f.confrelid
    )
    SELECT oid::regclass FROM paths GROUP BY oid ORDER BY max(depth) DESC, oid
$$;

-- Deletes up to `batch` rows of the transaction's team, which must be a deleted one, and returns how many: 0 once
-- nothing is left. Runs with the owner's rights, because no other role may delete from some of the tables, and because
-- partitions are reached one by one.
CREATE FUNCTION pippin_empty_team(batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    team text := pippin_team();
    tenant regclass;
    leaf regclass;
    went bigint;
    removed bigint := 0;
BEGIN
    IF NOT EXISTS (SELECT FROM teams WHERE team_id = team AND deleted_at IS NOT NULL AND NOT is_system) THEN
        RAISE EXCEPTION 'team % is not deleted', team;
    END IF;
    FOR tenant IN SELECT * FROM pippin_tenant_tables() LOOP
        FOR leaf IN SELECT relid FROM pg_partition_tree(tenant) WHERE isleaf
            UNION ALL SELECT oid FROM pg_class WHERE oid = tenant AND relkind = 'r'
        LOOP
            EXECUTE format(
                'DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE team_id = $1 %2$s LIMIT $2))',
                -- App IDs that are grouped under another go before it.
                leaf, CASE leaf WHEN 'app_ids'::regclass THEN 'ORDER BY primary_identifier NULLS LAST' END
            ) USING team, batch - removed;
            GET DIAGNOSTICS went = ROW_COUNT;
            removed := removed + went;
            IF removed >= batch THEN RETURN removed; END IF;
        END LOOP;
    END LOOP;
    -- Its emails lie with the system team.
    DELETE FROM mailbox WHERE ctid = ANY (ARRAY(SELECT ctid FROM mailbox WHERE of_team = team LIMIT batch - removed));
    GET DIAGNOSTICS went = ROW_COUNT;
    RETURN removed + went;
END
$$;

-- Apps, websites and keys ------------------------------------------------------------------------------------

-- An identifier in use: App IDs and Service IDs share one name space, unique in the team whatever the case.
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

-- An App ID.
CREATE TABLE app_ids (
    team_id text COLLATE "C" NOT NULL,
    identifier text COLLATE "C" NOT NULL,
    kind text NOT NULL DEFAULT 'app' CHECK (kind = 'app'),
    description text NOT NULL CHECK (length(description) BETWEEN 1 AND 255),
    is_enabled boolean NOT NULL DEFAULT true,
    -- The App ID that it is grouped under; NULL in a primary App ID.
    primary_identifier text COLLATE "C",
    notification_url text,
    -- The issuer in tokens of the native app.
    issuer text NOT NULL DEFAULT 'own' CHECK (issuer IN ('own', 'apple')),
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, identifier),
    FOREIGN KEY (team_id, identifier, kind) REFERENCES client_identifiers (team_id, identifier, kind)
        ON DELETE CASCADE,
    CONSTRAINT app_ids_primary_fkey FOREIGN KEY (team_id, primary_identifier) REFERENCES app_ids,
    CONSTRAINT app_ids_primary_check CHECK (primary_identifier <> identifier)
);
CREATE INDEX app_ids_primary ON app_ids (team_id, primary_identifier) WHERE primary_identifier IS NOT NULL;

-- A Service ID: a website's client. An App ID has at most five, each of a rank of its own.
CREATE TABLE service_ids (
    team_id text COLLATE "C" NOT NULL,
    identifier text COLLATE "C" NOT NULL,
    kind text NOT NULL DEFAULT 'service' CHECK (kind = 'service'),
    app_id text COLLATE "C" NOT NULL,
    rank smallint NOT NULL CONSTRAINT service_ids_rank_check CHECK (rank BETWEEN 1 AND 5),
    description text NOT NULL CHECK (length(description) BETWEEN 1 AND 255),
    issuer text NOT NULL DEFAULT 'own' CHECK (issuer IN ('own', 'apple')),
    -- How boolean claims of an id_token are written.
    booleans text NOT NULL DEFAULT 'json' CHECK (booleans IN ('json', 'string')),
    requires_pkce boolean NOT NULL DEFAULT false,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, identifier),
    FOREIGN KEY (team_id, identifier, kind) REFERENCES client_identifiers (team_id, identifier, kind)
        ON DELETE CASCADE,
    CONSTRAINT service_ids_app_id_fkey FOREIGN KEY (team_id, app_id) REFERENCES app_ids,
    CONSTRAINT service_ids_rank_key UNIQUE (team_id, app_id, rank)
);

-- A domain of a Service ID.
CREATE TABLE service_domains (
    team_id text COLLATE "C" NOT NULL,
    service_id text COLLATE "C" NOT NULL,
    domain text COLLATE "C" NOT NULL CHECK (length(domain) BETWEEN 1 AND 253),
    PRIMARY KEY (team_id, service_id, domain),
    FOREIGN KEY (team_id, service_id) REFERENCES service_ids ON DELETE CASCADE
);
CREATE INDEX service_domains_domain ON service_domains (team_id, domain);

-- A domain of a team, however many of its Service IDs have it, with the state of its verification.
CREATE TABLE domains (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    domain text COLLATE "C" NOT NULL CHECK (length(domain) BETWEEN 1 AND 253),
    -- The content of its association file.
    token text NOT NULL DEFAULT replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
    created_at timestamptz NOT NULL DEFAULT now(),
    is_verified boolean NOT NULL DEFAULT false,
    -- The first of the checks in a row that did not find the file; NULL if the last check found it.
    failed_since timestamptz,
    checked_at timestamptz,
    -- The result of the last check.
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
-- Checks that are due are looked for across teams.
CREATE INDEX domains_check_due_at ON domains (check_due_at);

-- Inserts a domain with the first Service ID that has it, and deletes it with the last.
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
CREATE TRIGGER keep_domains AFTER INSERT OR DELETE ON service_domains
FOR EACH ROW EXECUTE FUNCTION pippin_keep_domains();

-- A return URL of a Service ID, which has at most ten, each of a rank of its own.
CREATE TABLE return_urls (
    team_id text COLLATE "C" NOT NULL,
    service_id text COLLATE "C" NOT NULL,
    rank smallint NOT NULL CONSTRAINT return_urls_rank_check CHECK (rank BETWEEN 1 AND 10),
    url text COLLATE "C" NOT NULL CHECK (octet_length(url) BETWEEN 1 AND 2048),
    PRIMARY KEY (team_id, service_id, rank),
    CONSTRAINT return_urls_url_key UNIQUE (team_id, service_id, url),
    FOREIGN KEY (team_id, service_id) REFERENCES service_ids ON DELETE CASCADE
);

-- A key issued here, by which apps sign client secrets. An App ID has at most two active ones, each of a rank of its
-- own, which is free again once the key is revoked.
CREATE TABLE keys (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    key_id text COLLATE "C" NOT NULL CHECK (key_id ~ '^[A-Z0-9]{10}$'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    app_id text COLLATE "C" NOT NULL,
    rank smallint CONSTRAINT keys_rank_check CHECK (rank BETWEEN 1 AND 2),
    public_key_pem text NOT NULL,
    fingerprint text NOT NULL,
    -- NULL once it was downloaded.
    private_key_sealed bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    downloaded_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (team_id, key_id),
    CONSTRAINT keys_app_id_fkey FOREIGN KEY (team_id, app_id) REFERENCES app_ids,
    CONSTRAINT keys_rank_key UNIQUE (team_id, app_id, rank),
    CONSTRAINT keys_active_check CHECK ((rank IS NULL) = (revoked_at IS NOT NULL))
);
-- Active keys, without a walk past all revoked ones.
CREATE INDEX keys_active ON keys (team_id, app_id) WHERE rank IS NOT NULL;
-- A page of all keys, and their number, without a sort.
CREATE INDEX keys_created_at ON keys (team_id, created_at DESC, key_id DESC);

-- A domain or address that apps of the team send email from to relay addresses, with the state of its DNS records.
CREATE TABLE email_sources (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    source text COLLATE "C" NOT NULL CHECK (length(source) BETWEEN 1 AND 254),
    kind text NOT NULL CHECK (kind IN ('domain', 'address')),
    rank smallint NOT NULL CONSTRAINT email_sources_rank_check CHECK (rank BETWEEN 1 AND 100),
    dkim_selectors text[] NOT NULL DEFAULT '{}'
        CONSTRAINT email_sources_dkim_selectors_check CHECK (cardinality(dkim_selectors) <= 5),
    -- The result of the last check of the SPF record and of each DKIM record, cut to what a page shows.
    records jsonb NOT NULL DEFAULT '[]'
        CONSTRAINT email_sources_records_check CHECK (octet_length(records::text) <= 131072),
    checked_at timestamptz,
    check_due_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, source),
    CONSTRAINT email_sources_rank_key UNIQUE (team_id, rank)
);
-- Checks that are due are looked for across teams.
CREATE INDEX email_sources_check_due_at ON email_sources (check_due_at);

-- A key that Apple issued to the team, by which Pippin signs its own client secrets there. A primary App ID has at most
-- two, each of a rank of its own, so that a new one can stand beside the old.
CREATE TABLE apple_keys (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    key_id text COLLATE "C" NOT NULL CHECK (key_id ~ '^[A-Z0-9]{10}$'),
    apple_team_id text COLLATE "C" NOT NULL CHECK (apple_team_id ~ '^[A-Z0-9]{10}$'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    app_id text COLLATE "C" NOT NULL,
    rank smallint NOT NULL CONSTRAINT apple_keys_rank_check CHECK (rank BETWEEN 1 AND 2),
    fingerprint text NOT NULL,
    private_key_sealed bytea NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, key_id),
    CONSTRAINT apple_keys_app_id_fkey FOREIGN KEY (team_id, app_id) REFERENCES app_ids,
    CONSTRAINT apple_keys_rank_key UNIQUE (team_id, app_id, rank),
    CONSTRAINT apple_keys_of_app_key UNIQUE (team_id, app_id, key_id)
);

-- How a group of apps is registered at Apple. The key is one of the same App ID, and names the team at Apple.
CREATE TABLE apple_connections (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    -- The primary App ID.
    app_id text COLLATE "C" NOT NULL,
    -- The Apple Services ID: the client at Apple for web and Android.
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
-- The Services ID tells which group of apps a notification from Apple is for.
CREATE UNIQUE INDEX apple_connections_services_id_key ON apple_connections (team_id, services_id);

-- Apple's answer when a connection was last tested, for each client at Apple. Key and team are those it was tested
-- with: the result says nothing of others.
CREATE TABLE apple_connection_tests (
    team_id text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    apple_team_id text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    detail text NOT NULL,
    tested_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, app_id, client_id),
    FOREIGN KEY (team_id, app_id) REFERENCES apple_connections ON DELETE CASCADE
);

-- The transfer of an App ID to another team. Both teams see the row; the one that offers may withdraw it, the other one
-- answers.
CREATE TABLE app_transfers (
    -- The team that offers.
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    transfer_id text COLLATE "C" NOT NULL CHECK (transfer_id ~ '^[a-z2-7]{26}$'),
    -- No foreign key: an offer to a team that does not exist is stored too, so that it tells nothing of teams.
    target_team text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    -- What the other team will have registered.
    registration jsonb NOT NULL,
    state text COLLATE "C" NOT NULL DEFAULT 'offered'
        CHECK (state IN ('offered', 'accepted', 'declined', 'withdrawn')),
    -- The member who offered; the offer ends when that member may no longer make one.
    offered_by text COLLATE "C",
    offered_at timestamptz NOT NULL,
    settled_at timestamptz,
    PRIMARY KEY (team_id, transfer_id),
    CONSTRAINT app_transfers_target_team_check CHECK (target_team <> team_id AND target_team <> 'PIPPIN0000')
);
CREATE UNIQUE INDEX app_transfers_offered_key ON app_transfers (team_id, app_id) WHERE state = 'offered';
CREATE INDEX app_transfers_target_key ON app_transfers (target_team, transfer_id);
-- A team may have any number of accepted transfers. Sign-ins ask for those of one App ID.
CREATE INDEX app_transfers_given ON app_transfers (team_id, app_id, settled_at) WHERE state = 'accepted';
CREATE INDEX app_transfers_taken ON app_transfers (target_team, app_id, settled_at) WHERE state = 'accepted';
-- A day's transfers are counted, and a page of them read, in the order of these. Only such statements write the time
-- so: the planner cannot choose these indexes for a sign-in and walk past all other App IDs.
CREATE INDEX app_transfers_given_at ON app_transfers (team_id, (settled_at AT TIME ZONE 'UTC'))
WHERE state = 'accepted';
CREATE INDEX app_transfers_taken_at ON app_transfers (target_team, (settled_at AT TIME ZONE 'UTC'))
WHERE state = 'accepted';
CREATE INDEX app_transfers_offered_at ON app_transfers (team_id, offered_at) WHERE state <> 'accepted';
CREATE INDEX app_transfers_waiting ON app_transfers (target_team, offered_at) WHERE state = 'offered';
CREATE INDEX app_transfers_ended ON app_transfers (target_team, offered_at) WHERE state IN ('declined', 'withdrawn');
-- For retention, which looks across teams. By an index of the plain times the page of one team could be read in a walk
-- past the rows of all others.
CREATE INDEX app_transfers_age ON app_transfers ((offered_at AT TIME ZONE 'UTC' + interval '28 days'))
WHERE state <> 'accepted';
CREATE INDEX app_transfers_accepted_age ON app_transfers ((settled_at AT TIME ZONE 'UTC' + interval '61 days'))
WHERE state = 'accepted';

-- A deleted client that may still have refresh tokens. They are deleted with it where they are few, else a batch at a
-- time; until then no other client gets its identifier.
CREATE TABLE ended_clients (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    client_id text COLLATE "C" NOT NULL,
    ended_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, client_id)
);
CREATE INDEX ended_clients_ended_at ON ended_clients (ended_at);

-- Users and how they sign in ---------------------------------------------------------------------------------

-- A user of a team; in the system team, a console account.
CREATE TABLE users (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    sub text COLLATE "C" NOT NULL CHECK (length(sub) BETWEEN 1 AND 255),
    given_name text NOT NULL DEFAULT '',
    family_name text NOT NULL DEFAULT '',
    email text,
    is_email_verified boolean NOT NULL DEFAULT false,
    -- Whether the address is a relay address of a provider: apps are told that it is private.
    is_private_email boolean NOT NULL DEFAULT false,
    relay_address text,
    -- In lower case, for search by prefix; the names in both orders.
    email_key text COLLATE "C" GENERATED ALWAYS AS (lower(email)) STORED,
    name_key text COLLATE "C" GENERATED ALWAYS AS (lower(given_name || ' ' || family_name)) STORED,
    family_key text COLLATE "C" GENERATED ALWAYS AS (lower(family_name)) STORED,
    -- Number of changes of the user's credentials. A proof counts only while this is the number it was checked under.
    credentials_version integer NOT NULL DEFAULT 0,
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

ALTER TABLE memberships ADD CONSTRAINT memberships_sub_fkey
    FOREIGN KEY (system_team_id, sub) REFERENCES users (team_id, sub) ON DELETE CASCADE;

-- A name that a user signs in by.
CREATE TABLE login_names (
    team_id text COLLATE "C" NOT NULL,
    login text COLLATE "C" NOT NULL CHECK (login = lower(login) AND length(login) BETWEEN 1 AND 254),
    sub text COLLATE "C" NOT NULL,
    CONSTRAINT login_names_login_key PRIMARY KEY (team_id, login),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX login_names_sub ON login_names (team_id, sub);

-- The password of a user.
CREATE TABLE passwords (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    hash text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, sub),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);

-- The secret of a user's authenticator app.
CREATE TABLE totp_secrets (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    secret_sealed bytea NOT NULL,
    -- The time step of the last code that was accepted: no code of it or of an earlier one is accepted again.
    last_step bigint NOT NULL,
    confirmed_at timestamptz NOT NULL,
    last_used_at timestamptz,
    PRIMARY KEY (team_id, sub),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);

-- The random user handle that authenticators know a user by (WebAuthn).
CREATE TABLE passkey_handles (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    handle bytea NOT NULL CHECK (octet_length(handle) = 32),
    PRIMARY KEY (team_id, sub),
    CONSTRAINT passkey_handles_handle_key UNIQUE (team_id, handle),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);

-- A passkey of a user.
CREATE TABLE passkeys (
    team_id text COLLATE "C" NOT NULL,
    credential_id bytea NOT NULL CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    sub text COLLATE "C" NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    -- The number in COSE: -7 is ES256, -257 is RS256.
    algorithm smallint NOT NULL CHECK (algorithm IN (-7, -257)),
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    is_backup_eligible boolean NOT NULL,
    is_backed_up boolean NOT NULL,
    transports text[] NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    CONSTRAINT passkeys_credential_id_key PRIMARY KEY (team_id, credential_id),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX passkeys_sub ON passkeys (team_id, sub);

-- A recovery code of a user.
CREATE TABLE recovery_codes (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    -- An HMAC: ten characters could be guessed from a plain digest.
    code_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (team_id, sub, code_hash),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);

-- A session of a user at the team's pages.
CREATE TABLE sessions (
    team_id text COLLATE "C" NOT NULL,
    -- SHA-256 of the cookie's token.
    token_hash bytea NOT NULL,
    sub text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    ip text NOT NULL,
    user_agent text NOT NULL,
    first_factor text NOT NULL DEFAULT 'password'
        CHECK (first_factor IN ('password', 'passkey', 'mailed_link') OR pippin_is_provider_id(first_factor)),
    second_factor text CHECK (second_factor IN ('totp', 'passkey', 'recovery_code')),
    -- When the user last gave a proof in this session.
    proved_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, token_hash),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX sessions_sub ON sessions (team_id, sub);
CREATE INDEX sessions_expires_at ON sessions (expires_at);

-- A link in an email that proves an address: of a new account, of an invited user, a new one of a user, or for a new
-- password or a sign-in. It is used once, by deleting the row.
CREATE TABLE mailed_links (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    -- SHA-256 of the link's token.
    token_hash bytea NOT NULL,
    purpose text COLLATE "C" NOT NULL
        CHECK (purpose IN ('registration', 'password', 'email', 'invitation', 'sign_in')),
    -- NULL for an account that does not exist yet.
    sub text COLLATE "C",
    -- Where the link was sent.
    email text NOT NULL CHECK (length(email) <= 254),
    given_name text NOT NULL DEFAULT '',
    family_name text NOT NULL DEFAULT '',
    password_hash text,
    -- The browser that asked for a registration or a sign-in: what was typed there goes on only there.
    browser_hash bytea,
    -- The sign-in that goes on when the link is opened in that browser.
    interaction_id text COLLATE "C",
    -- The app's authorization request, as a query: the link outlasts the sign-in. NULL where no app asked.
    request_query text COLLATE "C",
    -- The name of an invitation for the members of the team, who may withdraw it; the token is the reader's alone.
    invitation_id text COLLATE "C" CHECK (invitation_id ~ '^[A-Z0-9]{10}$'),
    -- The member who invited; that membership may have ended since.
    invited_by text COLLATE "C",
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, token_hash),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE,
    CONSTRAINT mailed_links_sub_check CHECK ((purpose IN ('registration', 'invitation')) = (sub IS NULL)),
    CONSTRAINT mailed_links_password_check CHECK ((purpose = 'registration') = (password_hash IS NOT NULL)),
    CONSTRAINT mailed_links_invitation_check
        CHECK ((purpose = 'invitation') = (invitation_id IS NOT NULL AND invited_by IS NOT NULL))
);
CREATE INDEX mailed_links_sub ON mailed_links (team_id, sub);
-- An address has one open invitation; a second one replaces the first.
CREATE UNIQUE INDEX mailed_links_invited_email_key ON mailed_links (team_id, lower(email))
WHERE purpose = 'invitation';
CREATE UNIQUE INDEX mailed_links_invitation_id_key ON mailed_links (team_id, invitation_id)
WHERE invitation_id IS NOT NULL;
CREATE INDEX mailed_links_expires_at ON mailed_links (expires_at);

-- OAuth: clients, sign-ins, codes and tokens -----------------------------------------------------------------

-- An RSA key that a team signs its tokens with.
CREATE TABLE signing_keys (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    kid text COLLATE "C" NOT NULL,
    private_key_sealed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    active_from timestamptz NOT NULL,
    retires_at timestamptz,
    PRIMARY KEY (team_id, kid)
);

-- The last use of a key of an app. Apart from the key, so that using a key does not change the registry.
CREATE TABLE key_uses (
    team_id text COLLATE "C" NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    last_used_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, key_id),
    FOREIGN KEY (team_id, key_id) REFERENCES keys ON DELETE CASCADE
);

-- The expiry of the last long-lived client secret of a client: an app that has one in its configuration stops working
-- one day without warning.
CREATE TABLE client_secret_ends (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    client_id text COLLATE "C" NOT NULL,
    ends_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, client_id),
    FOREIGN KEY (team_id, client_id) REFERENCES client_identifiers (team_id, identifier) ON DELETE CASCADE
);

-- A client that has redeemed a code at least once: the first time is an audit event.
CREATE TABLE redeeming_clients (
    team_id text COLLATE "C" NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (team_id, client_id)
);

-- A "not before": no token issued earlier counts, of a client or, with client_id '*', of the whole team. One row ends a
-- million tokens.
CREATE TABLE not_befores (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    client_id text COLLATE "C" NOT NULL CHECK (length(client_id) BETWEEN 1 AND 255),
    not_before timestamptz NOT NULL,
    -- When the client was deleted. The row is kept for as long as a token may last, so that old tokens do not count for
    -- a new client with the same identifier, and is not read meanwhile.
    client_deleted_at timestamptz,
    PRIMARY KEY (team_id, client_id)
);
CREATE INDEX not_befores_in_force ON not_befores (team_id, not_before) WHERE client_deleted_at IS NULL;
CREATE INDEX not_befores_of_deleted ON not_befores (client_deleted_at) WHERE client_deleted_at IS NOT NULL;

-- Marks the not-before of a deleted client, and forgets that the client ever redeemed a code.
CREATE FUNCTION pippin_client_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE not_befores SET client_deleted_at = now() WHERE team_id = OLD.team_id AND client_id = OLD.identifier;
    DELETE FROM redeeming_clients WHERE team_id = OLD.team_id AND client_id = OLD.identifier;
    RETURN NULL;
END
$$;
CREATE TRIGGER client_deleted AFTER DELETE ON client_identifiers FOR EACH ROW EXECUTE FUNCTION pippin_client_deleted();

-- Puts the not-before of a deleted client in force again for a new client with the same identifier.
CREATE FUNCTION pippin_client_created() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE not_befores SET client_deleted_at = NULL
    WHERE team_id = NEW.team_id AND client_id = NEW.identifier AND client_deleted_at IS NOT NULL;
    RETURN NULL;
END
$$;
CREATE TRIGGER client_created AFTER INSERT ON client_identifiers FOR EACH ROW EXECUTE FUNCTION pippin_client_created();

-- An interaction: a sign-in under way in one browser, to an app or to the team's own pages. The row has its whole
-- state, and the next step is decided from it alone. The time partition is a quarter of an hour, counted from 0 to 3:
-- an id names its own, and the one to be used next is emptied beforehand, so that old rows cost nothing.
CREATE TABLE interactions (
    team_id text COLLATE "C" NOT NULL,
    time_partition smallint NOT NULL,
    interaction_id text COLLATE "C" NOT NULL,
    browser_hash bytea NOT NULL,
    -- The app's authorization request; NULL in a sign-in without an app.
    client_id text COLLATE "C",
    app_id text COLLATE "C",
    redirect_uri text,
    response_type text,
    response_mode text,
    wants_name boolean NOT NULL,
    wants_email boolean NOT NULL,
    state text,
    nonce text,
    code_challenge text,
    login_hint text,
    language text COLLATE "C",
    test_sign_in_id text COLLATE "C",
    -- Where a sign-in without an app leads; NULL is the user's account page.
    next_path text,
    created_at timestamptz NOT NULL,
    -- The user who gave the first proof, under the login name typed; no other user can give the second.
    sub text COLLATE "C",
    login text,
    first_factor text
        CHECK (first_factor IN ('password', 'passkey', 'mailed_link') OR pippin_is_provider_id(first_factor)),
    first_factor_at timestamptz,
    -- What is required beside it, decided with the first proof.
    second_factor_due text CHECK (second_factor_due IN ('nothing', 'proof', 'enrolment')),
    second_factor text CHECK (second_factor IN ('totp', 'passkey', 'recovery_code')),
    second_factor_at timestamptz,
    -- The user's credentials_version when the proof was checked.
    credentials_version integer,
    -- When the proofs became a session, which they do once.
    entered_at timestamptz,
    -- The user asked for another account than the session's.
    requires_reauthentication boolean NOT NULL DEFAULT false,
    PRIMARY KEY (team_id, time_partition, interaction_id),
    CONSTRAINT interactions_goal_check CHECK ((client_id IS NULL) = (redirect_uri IS NULL)),
    CONSTRAINT interactions_identity_check CHECK ((first_factor IS NULL) = (sub IS NULL)),
    CONSTRAINT interactions_second_proof_check CHECK (second_factor IS NULL OR first_factor IS NOT NULL)
) PARTITION BY LIST (time_partition);
CREATE TABLE interactions_0 PARTITION OF interactions FOR VALUES IN (0);
CREATE TABLE interactions_1 PARTITION OF interactions FOR VALUES IN (1);
CREATE TABLE interactions_2 PARTITION OF interactions FOR VALUES IN (2);
CREATE TABLE interactions_3 PARTITION OF interactions FOR VALUES IN (3);
-- The interactions of a user end with a changed password, an unlinked provider or a deletion.
CREATE INDEX interactions_sub ON interactions (team_id, sub) WHERE sub IS NOT NULL;

-- An authorization code. The time partition is as in interactions. A redeemed code is kept until it is emptied, so that
-- a second redemption is recognised.
CREATE TABLE authorization_codes (
    team_id text COLLATE "C" NOT NULL,
    time_partition smallint NOT NULL,
    code_hash bytea NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    redirect_uri text,
    nonce text,
    code_challenge text,
    -- The address in the id_token: none, the user's own, or the relay's.
    email text,
    is_email_verified boolean NOT NULL DEFAULT false,
    is_private_email boolean NOT NULL DEFAULT false,
    delivers_user boolean NOT NULL,
    test_sign_in_id text COLLATE "C",
    -- The trace of the sign-in, to which the redemption is added.
    trace_id text COLLATE "C",
    -- The provider that identified the user: the code ends with the authorization there.
    provider provider_id,
    authenticated_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    redeemed_at timestamptz,
    -- The refresh token that its redemption issued.
    token_id bytea,
    PRIMARY KEY (team_id, time_partition, code_hash)
) PARTITION BY LIST (time_partition);
CREATE TABLE authorization_codes_0 PARTITION OF authorization_codes FOR VALUES IN (0);
CREATE TABLE authorization_codes_1 PARTITION OF authorization_codes FOR VALUES IN (1);
CREATE TABLE authorization_codes_2 PARTITION OF authorization_codes FOR VALUES IN (2);
CREATE TABLE authorization_codes_3 PARTITION OF authorization_codes FOR VALUES IN (3);
-- The end of an authorization ends the user's codes.
CREATE INDEX authorization_codes_sub ON authorization_codes (team_id, sub);

-- Empties the time partition that the quarter of an hour after next will use. Runs with the owner's rights, because
-- TRUNCATE knows no rows and so no teams.
CREATE FUNCTION pippin_empty_time_partition(number integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF number NOT BETWEEN 0 AND 3 OR number = (extract(epoch FROM now())::bigint / 900) % 4
        OR number = (extract(epoch FROM now())::bigint / 900 + 3) % 4 THEN
        RAISE EXCEPTION 'time partition % is in use', number;
    END IF;
    EXECUTE format('TRUNCATE interactions_%s, authorization_codes_%s', number, number);
END
$$;

-- A refresh token. No foreign keys: each would be checked for every token issued, and a user's tokens are deleted
-- before the user.
CREATE TABLE refresh_tokens (
    team_id text COLLATE "C" NOT NULL,
    -- The first 16 octets of the SHA-256 of the token; of a rotating token, of its first half, which stays.
    token_id bytea NOT NULL,
    sub text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    test_sign_in_id text COLLATE "C",
    -- The provider that identified the user: the token ends with the authorization there.
    provider provider_id,
    authenticated_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    revoked_at timestamptz,
    -- SHA-256 of the newest rotating token with this id; no older one is valid.
    secret_hash bytea,
    PRIMARY KEY (team_id, token_id)
) WITH (fillfactor = 80);
CREATE INDEX refresh_tokens_sub ON refresh_tokens (team_id, sub, app_id);
-- For the end of a client. Its condition holds for all rows, and no other statement writes it: without it the planner
-- prefers this index to the primary key while the table has no statistics, as after a restore, and each look-up of one
-- token walks through all tokens of the client.
CREATE INDEX refresh_tokens_of_client ON refresh_tokens (team_id, client_id) WHERE authenticated_at > '-infinity';

-- A revoked refresh token, in the order of revocation. No index of refresh_tokens has revoked_at, so that revoking a
-- token changes one page.
CREATE TABLE revoked_tokens (
    revoked_at timestamptz NOT NULL,
    team_id text COLLATE "C" NOT NULL,
    token_id bytea NOT NULL,
    PRIMARY KEY (revoked_at, team_id, token_id)
);

CREATE FUNCTION pippin_token_revoked() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO revoked_tokens (revoked_at, team_id, token_id) VALUES (NEW.revoked_at, NEW.team_id, NEW.token_id);
    RETURN NULL;
END
$$;
CREATE TRIGGER token_revoked AFTER UPDATE OF revoked_at ON refresh_tokens
FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
EXECUTE FUNCTION pippin_token_revoked();

-- The consent of a user to a group of apps: what is shared with it.
CREATE TABLE consents (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    -- The primary App ID.
    app_id text COLLATE "C" NOT NULL,
    shares_name boolean NOT NULL,
    shares_email boolean NOT NULL,
    hides_email boolean NOT NULL,
    given_name text NOT NULL DEFAULT '',
    family_name text NOT NULL DEFAULT '',
    granted_at timestamptz NOT NULL,
    ip text NOT NULL,
    -- When the app got the parameter `user`, which it gets once.
    delivered_at timestamptz,
    -- Whether email to the relay address is forwarded; and the time of the provider's last report of that.
    forwards_mail boolean NOT NULL DEFAULT true,
    forwards_mail_at timestamptz,
    -- The provider whose consent page the user answered, with the address that it gave for the apps.
    provider provider_id,
    upstream_email text,
    is_upstream_email_verified boolean NOT NULL DEFAULT false,
    is_upstream_email_private boolean NOT NULL DEFAULT false,
    PRIMARY KEY (team_id, sub, app_id),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE,
    FOREIGN KEY (team_id, app_id) REFERENCES app_ids ON DELETE CASCADE
);
-- With the user: else a plan made for any team takes it for as good as the primary key, and reads all consents of a
-- group to find one.
CREATE INDEX consents_app_id ON consents (team_id, app_id, sub);

-- A test sign-in: a member runs it to one of the team's Service IDs from the console. Its key and return URL are valid
-- for ten minutes, in this test alone.
CREATE TABLE test_sign_ins (
    team_id text COLLATE "C" NOT NULL,
    test_sign_in_id text COLLATE "C" NOT NULL,
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
    -- The requests and responses, step by step, as the page shows them.
    steps jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (team_id, test_sign_in_id),
    UNIQUE (team_id, key_id),
    FOREIGN KEY (team_id, service_id) REFERENCES service_ids ON DELETE CASCADE
);
CREATE INDEX test_sign_ins_created_at ON test_sign_ins (created_at);

-- The transfer identifier of a user towards another team: one for each team, over all apps.
CREATE TABLE transfer_subs (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    target_team text COLLATE "C" NOT NULL,
    transfer_sub text COLLATE "C" NOT NULL,
    PRIMARY KEY (team_id, sub, target_team),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);

-- A user who came to a team with a transferred App ID. The team that gives inserts the row, and sees nothing of what
-- becomes of it.
CREATE TABLE transferred_people (
    -- The team that takes.
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    transfer_sub text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    from_team text COLLATE "C" NOT NULL,
    -- What is shared with the app; emptied once the user exists in this team.
    shares_name boolean NOT NULL,
    shares_email boolean NOT NULL,
    hides_email boolean NOT NULL,
    given_name text NOT NULL,
    family_name text NOT NULL,
    -- Never an address that the user hides.
    email text,
    is_email_verified boolean NOT NULL,
    expires_at timestamptz NOT NULL,
    -- The user of this team, once the app asked for it.
    sub text COLLATE "C",
    PRIMARY KEY (team_id, transfer_sub, app_id)
);
CREATE INDEX transferred_people_sub ON transferred_people (team_id, sub);
CREATE INDEX transferred_people_expires_at ON transferred_people (expires_at);

-- Deletes the rows of transferred_people that are not users of the other team yet, when the user withdraws the consent
-- or is deleted: a team hands over only who uses the app. When the App ID itself goes, as in a transfer, nothing is
-- withdrawn. The team that gives does not see the rows, so this is done for it.
--
-- Few consents are of users who are handed over, and that is asked first: only to start a DELETE over four tables takes
-- longer.
CREATE FUNCTION pippin_recall_transferred() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF TG_TABLE_NAME = 'consents' THEN
        IF NOT EXISTS (
            SELECT FROM gone JOIN transfer_subs AS name ON name.team_id = gone.team_id AND name.sub = gone.sub
        ) THEN
            RETURN NULL;
        END IF;
        DELETE FROM transferred_people AS person
        USING gone JOIN transfer_subs AS name ON name.team_id = gone.team_id AND name.sub = gone.sub
            JOIN app_ids AS app ON app.team_id = gone.team_id AND app.identifier = gone.app_id
        WHERE person.team_id = name.target_team AND person.transfer_sub = name.transfer_sub
            AND person.app_id = gone.app_id AND person.from_team = gone.team_id AND person.sub IS NULL;
    ELSE
        DELETE FROM transferred_people AS person USING gone
        WHERE person.team_id = gone.target_team AND person.transfer_sub = gone.transfer_sub
            AND person.from_team = gone.team_id AND person.sub IS NULL;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER transferred_recalled AFTER DELETE ON consents
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION pippin_recall_transferred();
CREATE TRIGGER transferred_recalled AFTER DELETE ON transfer_subs
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION pippin_recall_transferred();

-- The number of changes of what servers cache of a team. Every process reads it twice a second.
CREATE TABLE registry_versions (
    team_id text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    changed_at timestamptz NOT NULL
);
CREATE INDEX registry_versions_changed_at ON registry_versions (changed_at);

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
DO $$
DECLARE
    cached text;
BEGIN
    FOREACH cached IN ARRAY ARRAY[
        'teams', 'team_logos', 'app_ids', 'service_ids', 'service_domains', 'return_urls', 'keys', 'apple_connections',
        'app_transfers', 'signing_keys', 'not_befores'
    ] LOOP
        EXECUTE format(
            'CREATE TRIGGER registry_changed AFTER INSERT OR UPDATE OR DELETE ON %I '
            'FOR EACH ROW EXECUTE FUNCTION pippin_registry_changed()',
            cached
        );
    END LOOP;
END
$$;
-- Keys of Apple are cached with a connection, which comes after its key and goes before it.
CREATE TRIGGER registry_changed AFTER UPDATE ON apple_keys
FOR EACH ROW EXECUTE FUNCTION pippin_registry_changed();
-- Of a domain only whether it is verified.
CREATE TRIGGER registry_changed AFTER UPDATE OF is_verified ON domains
FOR EACH ROW WHEN (OLD.is_verified IS DISTINCT FROM NEW.is_verified) EXECUTE FUNCTION pippin_registry_changed();

-- Sign-in by way of a provider -------------------------------------------------------------------------------

-- An upstream request: a browser that is sent to a provider and comes back, in a sign-in, or on the page of a user who
-- links an account. The provider's answer is stored before it is used; the browser that began goes on from there.
CREATE TABLE upstream_requests (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    -- SHA-256 of its `state`.
    state_hash bytea NOT NULL,
    provider provider_id NOT NULL,
    -- The sign-in; or the user who links an account, and the session in which that is valid.
    interaction_id text COLLATE "C",
    link_sub text COLLATE "C",
    link_session bytea,
    browser_hash bytea NOT NULL,
    -- The primary App ID whose registration at the provider is used.
    app_id text COLLATE "C" NOT NULL,
    -- Whether an app asked; else a page of Pippin.
    for_app boolean NOT NULL DEFAULT true,
    wants_name boolean NOT NULL,
    wants_email boolean NOT NULL,
    created_at timestamptz NOT NULL,
    -- Sealed: code, id_token, user, error.
    answer_sealed bytea,
    -- Arrival of the answer by the server's clock, and by the database's.
    answered_at timestamptz,
    arrived_at timestamptz,
    -- SHA-256 of a receipt that only the browser has which brought the answer.
    receipt_hash bytea,
    -- Until then only one process works on the answer.
    claimed_until timestamptz,
    -- When the user was recorded without the browser; when that is tried again.
    settled_at timestamptz,
    settle_at timestamptz,
    settle_tries smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (team_id, state_hash),
    CONSTRAINT upstream_requests_purpose CHECK (
        (interaction_id IS NULL) = (link_sub IS NOT NULL) AND (link_sub IS NULL) = (link_session IS NULL)
    )
);
-- Team by team, each in the order of what is due.
CREATE INDEX upstream_requests_unsettled ON upstream_requests (team_id, (coalesce(settle_at, answered_at)))
WHERE answered_at IS NOT NULL AND settled_at IS NULL;
-- For retention. Each rule has its own index, so that rows that are kept longer do not stand before the others.
CREATE INDEX upstream_requests_over ON upstream_requests (created_at)
WHERE answered_at IS NULL OR settled_at IS NOT NULL;
CREATE INDEX upstream_requests_waiting ON upstream_requests (created_at)
WHERE answered_at IS NOT NULL AND settled_at IS NULL;

-- The handover of a native app: a code that the app got from the provider on the device. The row recognises a repeated
-- handover, and what it led to.
CREATE TABLE native_handovers (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    -- SHA-256 of the request's body.
    body_hash bytea NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    -- The nonce of the provider's token, for the tokens that a repeated handover is answered with.
    nonce text,
    created_at timestamptz NOT NULL,
    -- Until then only one process works on it.
    claimed_until timestamptz,
    settled_at timestamptz,
    sub text COLLATE "C",
    token_id bytea,
    is_new_user boolean,
    PRIMARY KEY (team_id, body_hash)
);
CREATE INDEX native_handovers_created_at ON native_handovers (created_at);

-- The user whom a native app names while the code that proves it is redeemed. Nothing of it changes a user before:
-- token and code may both be spent, and the name beside them be anyone's.
CREATE TABLE upstream_announcements (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    -- SHA-256 of what was handed over.
    announcement_hash bytea NOT NULL,
    provider provider_id NOT NULL,
    -- The user's `sub`, existing or to be. No foreign key: the user may not exist yet.
    sub text COLLATE "C" NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    -- The name that a provider gives once, as it came, NULL where none came; and as a user would have it.
    form_given_name text,
    form_family_name text,
    form_email text,
    given_name text NOT NULL,
    family_name text NOT NULL,
    announced_at timestamptz NOT NULL,
    -- Until then it belongs to the process that redeems the code; later it waits for the user's next sign-in.
    held_until timestamptz NOT NULL,
    -- Whether an earlier try may have spent the code, so that a refusal tells nothing.
    is_doubtful boolean NOT NULL DEFAULT false,
    PRIMARY KEY (team_id, announcement_hash)
);
CREATE INDEX upstream_announcements_sub ON upstream_announcements (team_id, sub);
-- For retention; as in upstream_requests, an index for each rule.
CREATE INDEX upstream_announcements_nameless ON upstream_announcements (held_until) WHERE form_given_name IS NULL;
CREATE INDEX upstream_announcements_named ON upstream_announcements (held_until) WHERE form_given_name IS NOT NULL;

-- The account of a user at a provider. A user who first came by way of a provider has its identifier as `sub`.
CREATE TABLE upstream_identities (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    provider provider_id NOT NULL,
    identifier text COLLATE "C" NOT NULL CHECK (length(identifier) BETWEEN 1 AND 255),
    sub text COLLATE "C" NOT NULL,
    -- The transfer identifier while apps move from one team at the provider to another.
    transfer_sub text COLLATE "C",
    real_user_status smallint,
    -- The address as the provider signed it last: a user who links an account keeps their own.
    email text,
    is_private_email boolean NOT NULL DEFAULT false,
    -- The name vault: what came once, in a form field that is not signed.
    form_given_name text NOT NULL DEFAULT '',
    form_family_name text NOT NULL DEFAULT '',
    form_email text,
    form_received_at timestamptz,
    -- What the provider said last of the user's authorization, and when that happened.
    state text COLLATE "C" NOT NULL DEFAULT 'authorized' CHECK (state IN ('authorized', 'revoked', 'transferred')),
    state_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    -- When the user linked it on the account page; NULL for a user who came by way of the provider.
    linked_at timestamptz,
    -- The group of apps of the last sign-in by way of the provider, and its time.
    last_login_app_id text COLLATE "C",
    last_login_at timestamptz,
    PRIMARY KEY (team_id, provider, identifier),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX upstream_identities_sub ON upstream_identities (team_id, sub);
CREATE INDEX upstream_identities_transfer_sub ON upstream_identities (team_id, provider, transfer_sub)
WHERE transfer_sub IS NOT NULL;

-- A refresh token from a provider. No foreign key to the user: the token outlives the user until it is revoked there.
CREATE TABLE upstream_tokens (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    -- The first 16 octets of its SHA-256.
    token_id bytea NOT NULL,
    provider provider_id NOT NULL,
    sub text COLLATE "C" NOT NULL,
    -- The user's identifier at the provider, which may have been linked to another user since. NULL where unknown.
    identifier text COLLATE "C",
    app_id text COLLATE "C" NOT NULL,
    -- The client at the provider that it was issued to.
    client_id text COLLATE "C" NOT NULL,
    -- Sealed, since it must be sent back.
    token_sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    -- 'ending': a job revokes it. 'refused': it cannot be revoked.
    state text COLLATE "C" NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'ending', 'revoked', 'refused')),
    -- Why it cannot be revoked, or a live one not be validated.
    problem text,
    problem_at timestamptz,
    settled_at timestamptz,
    validate_at timestamptz NOT NULL,
    validated_at timestamptz,
    -- When the provider was last asked to revoke it; NULL again where it answered that it did not.
    revocation_asked_at timestamptz,
    PRIMARY KEY (team_id, token_id)
);
CREATE INDEX upstream_tokens_sub ON upstream_tokens (team_id, sub, app_id);
CREATE INDEX upstream_tokens_identifier ON upstream_tokens (team_id, identifier) WHERE identifier IS NOT NULL;
-- Work that is due is taken team by team, so that no team waits for another's tokens.
CREATE INDEX upstream_tokens_due ON upstream_tokens (team_id, validate_at) WHERE state = 'live';
CREATE INDEX upstream_tokens_ending ON upstream_tokens (team_id, token_id) WHERE state = 'ending';
CREATE INDEX upstream_tokens_problem ON upstream_tokens (team_id, problem_at DESC, token_id) WHERE problem IS NOT NULL;
-- Since when a provider refuses something to a group of apps, without counting what it refuses.
CREATE INDEX upstream_tokens_problem_app ON upstream_tokens (team_id, app_id, problem_at) WHERE problem IS NOT NULL;
CREATE INDEX upstream_tokens_settled_at ON upstream_tokens (settled_at) WHERE state = 'revoked';

-- A notification from a provider that was acted on, so that it is not acted on again.
CREATE TABLE upstream_notifications (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    provider provider_id NOT NULL,
    -- SHA-256 of its `jti`.
    notification_hash bytea NOT NULL,
    -- The primary App ID of the group that it was about.
    app_id text COLLATE "C" NOT NULL,
    -- What happened to whom and when, without addresses.
    events jsonb NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, provider, notification_hash)
);
CREATE INDEX upstream_notifications_received_at ON upstream_notifications (received_at);

-- The unlinking of a user from a provider, or from a group of apps there: an older answer of the provider that still
-- waits does not link the user again. Kept as long as an answer may wait, without the user's name.
CREATE TABLE upstream_unlinks (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    provider provider_id NOT NULL,
    -- SHA-256 of the user's identifier at the provider.
    identifier_hash bytea NOT NULL,
    -- The group of apps; empty for all.
    app_id text COLLATE "C" NOT NULL,
    -- When it happened here, by the database's clock.
    unlinked_at timestamptz,
    -- When it happened at the provider, as that says.
    reported_at timestamptz,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (team_id, provider, identifier_hash, app_id)
);
CREATE INDEX upstream_unlinks_recorded_at ON upstream_unlinks (recorded_at);

-- Deleted accounts -------------------------------------------------------------------------------------------

-- The receipt of a deleted account. Its id suffices to read it, so it cannot be guessed, and it identifies no one.
CREATE TABLE deletion_receipts (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    receipt_id text COLLATE "C" NOT NULL CHECK (receipt_id ~ '^[a-z2-7]{26}$'),
    sub text COLLATE "C" NOT NULL,
    -- The group of the client that asked; NULL where the user or a member of the team did.
    app_id text COLLATE "C",
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (team_id, receipt_id)
);
CREATE INDEX deletion_receipts_sub ON deletion_receipts (team_id, sub);
CREATE INDEX deletion_receipts_created_at ON deletion_receipts (created_at);

-- A refresh token, or a provider's token, that ended with a deleted account.
CREATE TABLE deletion_receipt_tokens (
    team_id text COLLATE "C" NOT NULL,
    receipt_id text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    -- NULL for a refresh token of Pippin.
    provider provider_id,
    upstream_token_id bytea,
    issued_at timestamptz NOT NULL,
    fate text COLLATE "C" NOT NULL CHECK (fate IN ('pending', 'revoked', 'refused')),
    problem text,
    settled_at timestamptz,
    PRIMARY KEY (team_id, receipt_id, number),
    FOREIGN KEY (team_id, receipt_id) REFERENCES deletion_receipts ON DELETE CASCADE
);
CREATE INDEX deletion_receipt_tokens_provider ON deletion_receipt_tokens (team_id, upstream_token_id)
WHERE upstream_token_id IS NOT NULL;

-- Notifications to apps --------------------------------------------------------------------------------------

-- A notification to a group of apps. It names the user by `sub` alone; an address is read when it is sent.
CREATE TABLE notifications (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    notification_id text COLLATE "C" NOT NULL CHECK (notification_id ~ '^[a-z2-7]{26}$'),
    -- The primary App ID.
    app_id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL
        CHECK (type IN ('consent-revoked', 'account-delete', 'email-disabled', 'email-enabled')),
    sub text COLLATE "C" NOT NULL,
    event_time timestamptz NOT NULL,
    -- Sent from the console, about no user.
    is_test boolean NOT NULL DEFAULT false,
    state text COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
    attempts integer NOT NULL DEFAULT 0,
    -- The job that delivers it, so that the delivery log tells the next attempt.
    job_id text COLLATE "C",
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    settled_at timestamptz,
    PRIMARY KEY (team_id, notification_id)
);
CREATE INDEX notifications_created_at ON notifications (team_id, created_at DESC, notification_id);
-- Pages of one state or type: those looked for may be few among a million others.
CREATE INDEX notifications_state ON notifications (team_id, state, created_at DESC, notification_id);
CREATE INDEX notifications_type ON notifications (team_id, type, created_at DESC, notification_id);
CREATE INDEX notifications_sub ON notifications (team_id, sub);
-- Pending ones are looked for by their user, however many are pending in the team.
CREATE INDEX notifications_waiting ON notifications (team_id, sub, app_id, type) WHERE state = 'pending';
-- For retention, which looks across teams.
CREATE INDEX notifications_age ON notifications (created_at);

-- An attempt to deliver a notification, with the answer of the app's server.
CREATE TABLE delivery_attempts (
    team_id text COLLATE "C" NOT NULL,
    notification_id text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    url text NOT NULL,
    -- NULL where no answer came; `problem` says why.
    status integer,
    problem text,
    milliseconds integer NOT NULL,
    -- The beginning of the answer.
    excerpt text NOT NULL DEFAULT '',
    PRIMARY KEY (team_id, notification_id, number),
    FOREIGN KEY (team_id, notification_id) REFERENCES notifications ON DELETE CASCADE
);

-- Traces of sign-ins, and counts -----------------------------------------------------------------------------

-- The trace of one sign-in, with its first event. An id begins with its time, twelve hexadecimal digits of
-- milliseconds: ids sort by time, and a partition is a range of them. A partition is a week, since with longer ones
-- rows that are kept for thirty days would stay much longer.
CREATE TABLE traces (
    team_id text COLLATE "C" NOT NULL,
    trace_id text COLLATE "C" NOT NULL CHECK (length(trace_id) = 28),
    -- As it was sent; it need not be registered.
    client_id text COLLATE "C",
    sub text COLLATE "C",
    outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('open', 'cancelled', 'failed', 'answered')),
    cause text COLLATE "C",
    -- The request by which a page or the log names the failure.
    reference text COLLATE "C",
    is_test boolean NOT NULL DEFAULT false,
    -- The first event, as JSON; SQL never reads it, so text suffices.
    opening text NOT NULL,
    PRIMARY KEY (team_id, trace_id)
) PARTITION BY RANGE (trace_id);
CREATE INDEX traces_client_id ON traces (team_id, client_id, trace_id);
CREATE INDEX traces_outcome ON traces (team_id, outcome, trace_id);
CREATE INDEX traces_cause ON traces (team_id, cause, trace_id) WHERE cause IS NOT NULL;
CREATE INDEX traces_sub ON traces (team_id, sub, trace_id) WHERE sub IS NOT NULL;
CREATE INDEX traces_reference ON traces (team_id, reference) WHERE reference IS NOT NULL;

-- A later event of a trace. Rows of their own, so that adding an event changes no row.
CREATE TABLE trace_events (
    team_id text COLLATE "C" NOT NULL,
    trace_id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    kind text COLLATE "C" NOT NULL,
    -- The event, as JSON.
    event text NOT NULL,
    PRIMARY KEY (team_id, trace_id, at, kind)
) PARTITION BY RANGE (trace_id);

-- Traces with the time of a clock that is far off: they must not cost the others of the same statement.
CREATE TABLE traces_other PARTITION OF traces DEFAULT;
CREATE TABLE trace_events_other PARTITION OF trace_events DEFAULT;

-- The beginning of the ids of a moment.
CREATE FUNCTION pippin_trace_prefix(moment timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0');

-- Makes the partitions of this week and the next two, drops those whose rows are all older than thirty days, and
-- deletes old counts. Runs with the owner's rights, because partitions know no teams. Called by a recurring job.
CREATE FUNCTION pippin_keep_traces() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    week bigint := extract(epoch FROM now())::bigint / 604800;
    bound text := pippin_trace_prefix(now() - interval '30 days');
    parent text;
    low text;
    high text;
    old text;
BEGIN
    FOREACH parent IN ARRAY ARRAY['traces', 'trace_events'] LOOP
        FOR number IN week .. week + 2 LOOP
            CONTINUE WHEN to_regclass(format('%s_%s', parent, number)) IS NOT NULL;
            low := pippin_trace_prefix(to_timestamp(number * 604800));
            high := pippin_trace_prefix(to_timestamp((number + 1) * 604800));
            EXECUTE format('DELETE FROM %s_other WHERE trace_id >= %L AND trace_id < %L', parent, low, high);
            EXECUTE format(
                'CREATE TABLE IF NOT EXISTS %s_%s PARTITION OF %s FOR VALUES FROM (%L) TO (%L)',
                parent, number, parent, low, high
            );
        END LOOP;
        FOR old IN
            SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = parent::regclass AND c.relname ~ '_[0-9]+$'
                AND to_timestamp((substring(c.relname FROM '[0-9]+$')::bigint + 1) * 604800) < now() - interval '30 days'
        LOOP
            EXECUTE format('DROP TABLE IF EXISTS %I', old);
        END LOOP;
        EXECUTE format('DELETE FROM %s_other WHERE trace_id < %L', parent, bound);
    END LOOP;
    DELETE FROM daily_counts WHERE day < current_date - 400;
END
$$;

-- A count of one day, such as sign-ins or failures of one cause.
CREATE TABLE daily_counts (
    team_id text COLLATE "C" NOT NULL,
    measure text COLLATE "C" NOT NULL,
    day date NOT NULL,
    -- What is counted apart; empty for sign-ins, so that a team has one row a day whatever it registers and deletes.
    subject text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (team_id, measure, day, subject)
) WITH (fillfactor = 70);

-- The day of the last sign-in to a Service ID.
CREATE TABLE service_id_sign_ins (
    team_id text COLLATE "C" NOT NULL,
    service_id text COLLATE "C" NOT NULL,
    last_day date NOT NULL,
    PRIMARY KEY (team_id, service_id),
    FOREIGN KEY (team_id, service_id) REFERENCES service_ids ON DELETE CASCADE
);

-- Audit log --------------------------------------------------------------------------------------------------

-- An event of the audit log. Append-only: only the owner of the table may change or delete one. It names people by
-- their ids alone; names and addresses are in audit_people, where they can be erased.
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
    -- The address as 16 octets, IPv4 in its IPv6-mapped form: they sort, so that a network is a range of them.
    ip_key bytea,
    user_agent text,
    request_id text,
    before jsonb,
    after jsonb,
    -- The words that a search finds the event by; audit_words is the index of them.
    words text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (team_id, at, event_id)
) PARTITION BY RANGE (at);
CREATE INDEX audit_events_actor ON audit_events (team_id, actor, at);
CREATE INDEX audit_events_action ON audit_events (team_id, action, at);
CREATE INDEX audit_events_ip_key ON audit_events (team_id, ip_key, at);
CREATE INDEX audit_events_refused ON audit_events (team_id, at) WHERE outcome = 'refused';
-- Of one thing, whatever its kind: the name alone distinguishes things well enough.
CREATE INDEX audit_events_target_name ON audit_events (team_id, target, at);
-- A tenth of the log is refusals; of one action there may be none, and that is soon known.
CREATE INDEX audit_events_refused_action ON audit_events (team_id, action, at) WHERE outcome = 'refused';

-- A word of an event. Under row-level security an index for text search would not be used: its operators are not
-- leakproof, while equality of text is.
CREATE TABLE audit_words (
    team_id text COLLATE "C" NOT NULL,
    word text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (team_id, word, at, event_id)
) PARTITION BY RANGE (at);

-- A person whom the log names by id. Erased with the person; the events and their seals stay as they are.
CREATE TABLE audit_people (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    -- A user of the team, or a member, who is a user of the system team.
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('person', 'member')),
    sub text COLLATE "C" NOT NULL,
    name text NOT NULL,
    email text,
    name_key text COLLATE "C" GENERATED ALWAYS AS (lower(name)) STORED,
    email_key text COLLATE "C" GENERATED ALWAYS AS (lower(email)) STORED,
    PRIMARY KEY (team_id, kind, sub)
);
CREATE INDEX audit_people_name_key ON audit_people (team_id, name_key);
CREATE INDEX audit_people_email_key ON audit_people (team_id, email_key);
-- A console account is erased in every team whose log names it.
CREATE INDEX audit_people_member ON audit_people (sub) WHERE kind = 'member';

-- A name as its script writes it, as PersonName.full does: the family name first and no space in Han, kana and Hangul.
CREATE FUNCTION pippin_full_name(given text, family text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN given <> '' AND family <> '' AND given || family ~ (
            '^[\u1100-\u11FF\u2E80-\u2FDF\u3005-\u3007\u3021-\u3029\u3031-\u31BF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF'
            '\uA960-\uA97F\uAC00-\uD7FF\uF900-\uFAFF\uFE00-\uFE0F\uFF66-\uFFDC\U0001AFF0-\U0001B16F\U00020000-\U0003FFFF'
            '\U000E0100-\U000E01EF]+$'
        ) THEN family || given
        ELSE trim(given || ' ' || family)
    END
$$;

-- All that follows a new event: its place among the unsealed, its words, and the people it names. In one trigger, since
-- every sign-in pays for it, so that each statement which writes an event remains one. A person who is there under the
-- same name costs a look-up and no lock.
CREATE FUNCTION pippin_audit_added() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO audit_unsealed (team_id, at, event_id) VALUES (NEW.team_id, NEW.at, NEW.event_id);
    INSERT INTO audit_words (team_id, word, at, event_id)
    SELECT DISTINCT NEW.team_id, word, NEW.at, NEW.event_id FROM unnest(NEW.words) AS word;
    IF NEW.actor_kind IN ('person', 'member') OR NEW.target_kind IN ('user', 'member') THEN
        INSERT INTO audit_people AS known (team_id, kind, sub, name, email)
        SELECT NEW.team_id, named.kind, u.sub, pippin_full_name(u.given_name, u.family_name), u.email
        FROM (
            SELECT NEW.actor_kind AS kind, NEW.actor AS sub
            UNION
            SELECT CASE NEW.target_kind WHEN 'user' THEN 'person' ELSE NEW.target_kind END, NEW.target
        ) AS named
        JOIN users u ON u.sub = named.sub
            AND u.team_id = CASE named.kind WHEN 'member' THEN 'PIPPIN0000' ELSE NEW.team_id END
        WHERE named.kind IN ('person', 'member') AND NOT EXISTS (
            SELECT FROM audit_people p
            WHERE p.team_id = NEW.team_id AND p.kind = named.kind AND p.sub = named.sub
                AND p.name = pippin_full_name(u.given_name, u.family_name) AND p.email IS NOT DISTINCT FROM u.email
        )
        ON CONFLICT (team_id, kind, sub) DO UPDATE SET name = EXCLUDED.name, email = EXCLUDED.email;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER audit_added AFTER INSERT ON audit_events
FOR EACH ROW EXECUTE FUNCTION pippin_audit_added();

CREATE FUNCTION pippin_audit_person_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM audit_people WHERE team_id = OLD.team_id AND kind = 'person' AND sub = OLD.sub;
    IF OLD.team_id = 'PIPPIN0000' THEN
        DELETE FROM audit_people WHERE kind = 'member' AND sub = OLD.sub;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER audit_person_deleted AFTER DELETE ON users
FOR EACH ROW EXECUTE FUNCTION pippin_audit_person_deleted();

-- Seals: each event gets a position in its team's chain within a minute, and a code that depends on the event, the
-- position and the code before. The key is not in the database, so someone who can write here still cannot change,
-- remove or insert an event undetected.

-- An event that waits for its seal.
CREATE TABLE audit_unsealed (
    team_id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (team_id, at, event_id)
);

-- The seal of an event.
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

-- The end of a team's chain, and the result of its last verification. Sealing locks the row.
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
    -- Empty where the log is whole.
    findings jsonb NOT NULL DEFAULT '[]'
);

-- The place where verification of a team's log begins once older events were deleted: signed, so that only a holder of
-- the master key can move it.
CREATE TABLE audit_checkpoints (
    team_id text COLLATE "C" PRIMARY KEY REFERENCES teams,
    position bigint NOT NULL CHECK (position > 0),
    code bytea NOT NULL,
    latest_at timestamptz NOT NULL,
    made_at timestamptz NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    signature bytea NOT NULL CHECK (octet_length(signature) = 32)
);

-- Deletes the team's oldest events up to a position, with their words and seals: only events older than the team keeps
-- them, and only up to a checkpoint from which the rest can be verified.
CREATE FUNCTION pippin_apply_audit_retention(through bigint) RETURNS bigint
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

-- Makes the partitions of this month and the next two. Called by a recurring job.
CREATE FUNCTION pippin_make_partitions() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    month date;
    parent text;
BEGIN
    FOR ahead IN 0..2 LOOP
        month := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead);
        FOREACH parent IN ARRAY ARRAY['audit_events', 'audit_words'] LOOP
            EXECUTE format(
                'CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
                parent || '_' || to_char(month, 'YYYYMM'),
                parent,
                to_char(month, 'YYYY-MM-DD') || ' 00:00:00+00',
                to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00'
            );
        END LOOP;
    END LOOP;
END
$$;

-- Drops the partitions of past months in which no team has a row left.
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

-- Jobs -------------------------------------------------------------------------------------------------------

-- A job: work to be done once, whatever process dies meanwhile, enqueued in the transaction of the change that asks for
-- it; or, in the system team, work that is due again after `every_seconds`.
CREATE TABLE jobs (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    job_id text COLLATE "C" NOT NULL CHECK (job_id ~ '^[a-z2-7]{26}$'),
    kind text COLLATE "C" NOT NULL CHECK (length(kind) BETWEEN 1 AND 100),
    -- 0 before 1, inside a team; 2 is recurring work.
    priority smallint NOT NULL CHECK (priority IN (0, 1, 2)),
    state text COLLATE "C" NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'succeeded', 'dead', 'cancelled')),
    -- Counted when an attempt begins, so that a job that kills its process comes to an end too.
    attempts integer NOT NULL DEFAULT 0,
    every_seconds integer CHECK (every_seconds > 0),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When it may run. While a worker has it, the end of the lease: a worker that dies returns it by doing nothing.
    due_at timestamptz NOT NULL,
    worker text COLLATE "C",
    -- The end and duration of the last run of recurring work.
    ran_at timestamptz,
    ran_milliseconds integer,
    finished_at timestamptz,
    keep_until timestamptz,
    -- The columns from here on may hold personal data; pippin_system cannot read them.
    idempotency_key text COLLATE "C" CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    -- Emptied when the job has succeeded.
    payload jsonb NOT NULL,
    problem text,
    result jsonb,
    PRIMARY KEY (team_id, job_id),
    CHECK ((state = 'pending') = (finished_at IS NULL)),
    CHECK ((finished_at IS NULL) = (keep_until IS NULL)),
    CONSTRAINT jobs_every_check CHECK ((every_seconds IS NOT NULL) = (priority = 2))
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX jobs_idempotency_key ON jobs (team_id, kind, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX jobs_team ON jobs (team_id, created_at, job_id);
-- Read across teams: what is due, by team and then by age; the operators' lists; what retention deletes.
CREATE INDEX jobs_due ON jobs (priority, team_id, due_at) WHERE state = 'pending';
CREATE INDEX jobs_created_at ON jobs (created_at, job_id);
CREATE INDEX jobs_kind ON jobs (kind, created_at, job_id);
-- Most jobs have succeeded, and are found without an index.
CREATE INDEX jobs_state ON jobs (state, created_at, job_id) WHERE state <> 'succeeded';
CREATE INDEX jobs_keep_until ON jobs (keep_until) WHERE keep_until IS NOT NULL;
-- Anyone can send notifications, so the number of those that wait is asked often.
CREATE INDEX jobs_upstream_notifications ON jobs (team_id) WHERE kind = 'upstream.notification' AND state = 'pending';

-- The id of a new job, for a statement that decides itself how many jobs there are: letters and digits of base32, 98
-- bits of them random.
CREATE FUNCTION pippin_job_id() RETURNS text
LANGUAGE sql VOLATILE AS $$
    SELECT left(translate(replace(gen_random_uuid()::text, '-', ''), '0189', 'ghij'), 26)
$$;

-- Mail -------------------------------------------------------------------------------------------------------

-- An email that was not sent because no mail server is configured. The rows are the system team's, whichever team's
-- email it is: operators read them in place of the mail server.
CREATE TABLE mailbox (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    -- The id of the job that wrote it, so that it is stored once.
    mail_id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    of_team text COLLATE "C" NOT NULL,
    -- The name of the message, such as that of an invitation.
    message text NOT NULL,
    recipient text COLLATE "C" NOT NULL,
    subject text NOT NULL,
    body_text text NOT NULL,
    body_html text NOT NULL,
    link text,
    -- A column, because lower() is not leakproof: under row-level security an index over it would not be used.
    recipient_key text COLLATE "C" GENERATED ALWAYS AS (lower(recipient)) STORED,
    PRIMARY KEY (team_id, mail_id),
    CONSTRAINT mailbox_team_id_check CHECK (team_id = 'PIPPIN0000')
);
CREATE INDEX mailbox_at ON mailbox (team_id, at, mail_id);
CREATE INDEX mailbox_recipient_key ON mailbox (team_id, recipient_key);

-- Operation --------------------------------------------------------------------------------------------------

-- The last heartbeat of a process, with its load and counters.
CREATE TABLE heartbeats (
    process_id text COLLATE "C" PRIMARY KEY,
    seen_at timestamptz NOT NULL,
    heartbeat jsonb NOT NULL
);

-- A document that Apple publishes, such as its keys. The rows are the system team's, since they concern the whole
-- installation. Nothing is trusted because of them.
CREATE TABLE apple_publications (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    document text COLLATE "C" NOT NULL CHECK (document IN ('discovery', 'keys')),
    -- What the last look was compared with, as texts by their names: what is pinned, or what was approved.
    known jsonb NOT NULL,
    -- What an operator approved; of a document that is not pinned, what was seen first.
    approved jsonb,
    seen jsonb NOT NULL,
    seen_at timestamptz NOT NULL,
    differs_since timestamptz,
    PRIMARY KEY (team_id, document)
);

-- A master key that has sealed something in this database, with a known text that it sealed: a server with the key of
-- another installation, or with none, is refused before it writes. Read and written by the owner alone, at the start.
CREATE TABLE master_keys (
    key_id text PRIMARY KEY,
    proof bytea NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now()
);

-- Limits and retention ---------------------------------------------------------------------------------------

-- The count of a rate limit in its window, for one key, such as the wrong passwords of an account.
CREATE TABLE limits (
    team_id text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    window_ends_at timestamptz NOT NULL,
    count integer NOT NULL,
    PRIMARY KEY (team_id, subject)
);
CREATE INDEX limits_window_ends_at ON limits (window_ends_at);

-- A rule of what is deleted when, for the rows of all teams.
CREATE TABLE retention (
    name text COLLATE "C" PRIMARY KEY,
    table_name text NOT NULL,
    -- The columns of the primary key.
    key_columns text NOT NULL,
    -- Which rows are deleted. An index must lead to them in the order of `oldest_first`.
    expired text NOT NULL,
    oldest_first text NOT NULL,
    -- Deletes instead, where more goes than the rows themselves: takes and returns a number of rows.
    function_name text
);

INSERT INTO retention (name, table_name, key_columns, expired, oldest_first) VALUES
    ('jobs', 'jobs', 'team_id, job_id', 'keep_until <= now()', 'keep_until'),
    ('sessions', 'sessions', 'team_id, token_hash', 'expires_at <= now()', 'expires_at'),
    ('limits', 'limits', 'team_id, subject', 'window_ends_at <= now()', 'window_ends_at'),
    -- Links that were not opened.
    ('mailed_links', 'mailed_links', 'team_id, token_hash', 'expires_at <= now()', 'expires_at'),
    ('mailbox', 'mailbox', 'team_id, mail_id', $$team_id = 'PIPPIN0000' AND at < now() - interval '30 days'$$, 'at, mail_id'),
    -- A handover is repeated within a minute.
    ('native_handovers', 'native_handovers', 'team_id, body_hash', $$created_at < now() - interval '1 hour'$$, 'created_at'),
    -- A name waits for a year; a row without one waits for nothing.
    ('upstream_announcements.nameless', 'upstream_announcements', 'team_id, announcement_hash',
        $$form_given_name IS NULL AND held_until < now() - interval '1 hour'$$, 'held_until'),
    ('upstream_announcements.named', 'upstream_announcements', 'team_id, announcement_hash',
        $$form_given_name IS NOT NULL AND held_until < now() - interval '1 year'$$, 'held_until'),
    -- An answer waits for a week at most.
    ('upstream_unlinks', 'upstream_unlinks', 'team_id, provider, identifier_hash, app_id',
        $$recorded_at < now() - interval '8 days'$$, 'recorded_at'),
    -- A request to a provider is valid for a quarter of an hour, and its answer is not needed once it is settled.
    ('upstream_requests.over', 'upstream_requests', 'team_id, state_hash',
        $$(answered_at IS NULL OR settled_at IS NOT NULL) AND created_at < now() - interval '20 minutes'$$, 'created_at'),
    ('upstream_requests.waiting', 'upstream_requests', 'team_id, state_hash',
        $$answered_at IS NOT NULL AND settled_at IS NULL AND created_at < now() - interval '7 days'$$, 'created_at'),
    -- The token itself is gone already.
    ('upstream_tokens', 'upstream_tokens', 'team_id, token_id',
        $$state = 'revoked' AND settled_at < now() - interval '90 days'$$, 'settled_at'),
    -- Too old by then to come again.
    ('upstream_notifications', 'upstream_notifications', 'team_id, provider, notification_hash',
        $$received_at < now() - interval '90 days'$$, 'received_at'),
    -- With their delivery attempts.
    ('notifications', 'notifications', 'team_id, notification_id',
        $$created_at < now() - interval '90 days'$$, 'created_at'),
    ('transferred_people', 'transferred_people', 'team_id, transfer_sub, app_id', 'expires_at <= now()', 'expires_at'),
    -- The steps of a test sign-in hold a person's data.
    ('test_sign_ins', 'test_sign_ins', 'team_id, test_sign_in_id',
        $$created_at <= now() - interval '1 day'$$, 'created_at'),
    -- Of deleted clients: an id_token lasts a day at most.
    ('not_befores', 'not_befores', 'team_id, client_id',
        $$client_deleted_at < now() - interval '2 days'$$, 'client_deleted_at'),
    -- They name a deleted user: kept as long as the events of the audit log.
    ('deletion_receipts', 'deletion_receipts', 'team_id, receipt_id', $$created_at < now() - interval '400 days'$$, 'created_at'),
    -- An offer stands for fourteen days, and is shown for as long once it was settled.
    ('app_transfers.unanswered', 'app_transfers', 'team_id, transfer_id',
        $$state <> 'accepted' AND offered_at AT TIME ZONE 'UTC' + interval '28 days' < now() AT TIME ZONE 'UTC'$$,
        $$offered_at AT TIME ZONE 'UTC' + interval '28 days'$$),
    -- By an accepted transfer users are moved for sixty days. Later it only tells a team that has the App ID, by the
    -- last transfer of it, whether it gave or took it. So it goes once the team that gave no longer has the App ID, or
    -- has given or taken it again since, and once the team that took did not give it before, or has given or taken it
    -- again since.
    ('app_transfers.past', 'app_transfers', 'team_id, transfer_id',
        $$state = 'accepted' AND settled_at AT TIME ZONE 'UTC' + interval '61 days' < now() AT TIME ZONE 'UTC'
        AND (
            NOT EXISTS (
                SELECT FROM app_ids
                WHERE app_ids.team_id = app_transfers.team_id AND identifier = app_transfers.app_id
            )
            OR EXISTS (
                SELECT FROM app_transfers AS later
                WHERE later.team_id = app_transfers.team_id AND later.app_id = app_transfers.app_id
                    AND later.state = 'accepted' AND later.settled_at > app_transfers.settled_at
            )
            OR EXISTS (
                SELECT FROM app_transfers AS later
                WHERE later.target_team = app_transfers.team_id AND later.app_id = app_transfers.app_id
                    AND later.state = 'accepted' AND later.settled_at > app_transfers.settled_at
            )
        )
        AND (
            NOT EXISTS (
                SELECT FROM app_transfers AS earlier
                WHERE earlier.team_id = app_transfers.target_team AND earlier.app_id = app_transfers.app_id
                    AND earlier.state = 'accepted' AND earlier.settled_at <= app_transfers.settled_at
            )
            OR EXISTS (
                SELECT FROM app_transfers AS later
                WHERE later.team_id = app_transfers.target_team AND later.app_id = app_transfers.app_id
                    AND later.state = 'accepted' AND later.settled_at > app_transfers.settled_at
            )
            OR EXISTS (
                SELECT FROM app_transfers AS later
                WHERE later.target_team = app_transfers.target_team AND later.app_id = app_transfers.app_id
                    AND later.state = 'accepted' AND later.settled_at > app_transfers.settled_at
            )
        )$$,
        $$settled_at AT TIME ZONE 'UTC' + interval '61 days'$$);

INSERT INTO retention (name, table_name, key_columns, expired, oldest_first, function_name) VALUES
    ('refresh_tokens', 'revoked_tokens', 'revoked_at, team_id, token_id', $$revoked_at < now() - interval '30 days'$$,
        'revoked_at, team_id, token_id', 'pippin_purge_refresh_tokens'),
    ('ended_clients', 'ended_clients', 'team_id, client_id', 'true', 'ended_at', 'pippin_purge_ended_clients');

-- Deletes refresh tokens that were revoked more than thirty days ago; what is presented then is refused like an unknown
-- one. For each user and group of apps the last of them stays, unless there is a live or newer one: it tells that the
-- group had to do with the user once the consent has ended. A batch is small and the tokens are many: they are looked
-- up one by one, whatever the planner estimates.
CREATE FUNCTION pippin_purge_refresh_tokens(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH due AS (
        DELETE FROM revoked_tokens WHERE (revoked_at, team_id, token_id) IN (
            SELECT revoked_at, team_id, token_id FROM revoked_tokens
            WHERE revoked_at < now() - interval '30 days'
            ORDER BY revoked_at, team_id, token_id LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING team_id, token_id
    ), ended AS MATERIALIZED (
        SELECT token.* FROM due JOIN refresh_tokens AS token USING (team_id, token_id)
    ), newest AS MATERIALIZED (
        SELECT DISTINCT ON (team_id, sub, app_id) team_id, sub, app_id, revoked_at, token_id FROM ended
        WHERE test_sign_in_id IS NULL
        ORDER BY team_id, sub, app_id, revoked_at DESC, token_id DESC
    ), superseded AS MATERIALIZED (
        SELECT team_id, token_id FROM ended WHERE test_sign_in_id IS NOT NULL
        UNION ALL
        -- With what had stayed so far.
        SELECT team_id, token.token_id FROM newest JOIN refresh_tokens AS token USING (team_id, sub, app_id)
        WHERE token.test_sign_in_id IS NULL
            AND (token.revoked_at, token.token_id) < (newest.revoked_at, newest.token_id)
        UNION ALL
        SELECT team_id, token_id FROM newest
        WHERE EXISTS (
            SELECT FROM refresh_tokens AS other
            WHERE other.team_id = newest.team_id AND other.sub = newest.sub AND other.app_id = newest.app_id
                AND other.test_sign_in_id IS NULL AND (
                    other.revoked_at IS NULL
                    OR (other.revoked_at, other.token_id) > (newest.revoked_at, newest.token_id)
                )
        )
    ), held AS MATERIALIZED (
        -- A locked one is being deleted with its user.
        SELECT team_id, token_id FROM superseded JOIN refresh_tokens USING (team_id, token_id)
        FOR UPDATE OF refresh_tokens SKIP LOCKED
    ), purged AS (
        DELETE FROM refresh_tokens AS token USING held
        WHERE token.team_id = held.team_id AND token.token_id = held.token_id
    )
    SELECT count(*) FROM due
$$;

-- Deletes the refresh tokens of deleted clients, and each client of which none is left. The number of tokens that a
-- step deleted does not tell that: another transaction may have been deleting one of those it had chosen, and then it
-- deletes fewer than there are.
CREATE FUNCTION pippin_purge_ended_clients(batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    ended record;
    went bigint;
    total bigint := 0;
BEGIN
    FOR ended IN
        SELECT team_id, client_id FROM ended_clients ORDER BY ended_at LIMIT batch FOR UPDATE SKIP LOCKED
    LOOP
        DELETE FROM refresh_tokens WHERE (team_id, token_id) IN (
            SELECT team_id, token_id FROM refresh_tokens
            WHERE team_id = ended.team_id AND client_id = ended.client_id AND authenticated_at > '-infinity'
            LIMIT batch - total
        );
        GET DIAGNOSTICS went = ROW_COUNT;
        total := total + went;
        DELETE FROM ended_clients
        WHERE team_id = ended.team_id AND client_id = ended.client_id AND NOT EXISTS (
            SELECT FROM refresh_tokens
            WHERE team_id = ended.team_id AND client_id = ended.client_id AND authenticated_at > '-infinity'
        );
        EXIT WHEN total >= batch;
    END LOOP;
    RETURN total;
END
$$;

-- Deletes at most `batch` rows of a rule, the oldest first, and returns how many. Runs with the owner's rights, because
-- it deletes rows of all teams at once. A batch is small and the rows are many: they are looked up one by one, whatever
-- the planner estimates.
CREATE FUNCTION pippin_apply_retention(rule text, batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $function$
DECLARE
    it retention;
    deleted bigint;
BEGIN
    SELECT * INTO STRICT it FROM retention WHERE name = rule;
    IF it.function_name IS NOT NULL THEN
        EXECUTE format('SELECT %I($1)', it.function_name) INTO deleted USING batch;
        RETURN deleted;
    END IF;
    EXECUTE format(
        $$
        WITH expired AS MATERIALIZED (
            SELECT %2$s FROM %1$I WHERE %3$s ORDER BY %4$s LIMIT $1 FOR UPDATE SKIP LOCKED
        )
        DELETE FROM %1$I WHERE (%2$s) IN (SELECT %2$s FROM expired)
        $$, it.table_name, it.key_columns, it.expired, it.oldest_first)
    USING batch;
    GET DIAGNOSTICS deleted = ROW_COUNT;
    RETURN deleted;
END
$function$;

-- Row-level security -----------------------------------------------------------------------------------------

-- On every table with team_id. registry_versions is written by a trigger alone, and its policy is for reading.
DO $$
DECLARE
    target regclass;
BEGIN
    FOR target IN
        SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'team_id'
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            AND c.relname <> 'registry_versions'
        ORDER BY c.relname
    LOOP
        PERFORM pippin_enable_rls(target);
    END LOOP;
END
$$;
ALTER TABLE registry_versions ENABLE ROW LEVEL SECURITY;
SELECT pippin_force_rls('registry_versions');
CREATE POLICY team ON registry_versions FOR SELECT TO pippin_app USING (team_id = pippin_team());

-- The two teams of a transfer: the one that is offered an App ID sees the offer and answers it, and the one that gives
-- inserts the users who go with it.
CREATE POLICY target_reads ON app_transfers FOR SELECT TO pippin_app USING (target_team = pippin_team());
CREATE POLICY target_answers ON app_transfers FOR UPDATE TO pippin_app
USING (target_team = pippin_team() AND state = 'offered')
WITH CHECK (target_team = pippin_team() AND state IN ('accepted', 'declined'));
CREATE POLICY sender ON transferred_people FOR INSERT TO pippin_app WITH CHECK (
    from_team = pippin_team() AND sub IS NULL AND EXISTS (
        SELECT FROM app_transfers AS transfers
        WHERE transfers.team_id = pippin_team() AND transfers.target_team = transferred_people.team_id
            AND transfers.app_id = transferred_people.app_id AND transfers.state = 'accepted'
    )
);

-- What pippin_system looks for across teams: which teams there are, whose work is due, and which team a link leads to.
CREATE POLICY every_team ON teams FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON memberships FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON invitations FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON registry_versions FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON domains FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON email_sources FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON upstream_requests FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON upstream_tokens FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON audit_unsealed FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON audit_chains FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON jobs TO pippin_system USING (true) WITH CHECK (true);

-- Rights -----------------------------------------------------------------------------------------------------

-- pippin_app, in the rows of one team. It has no right to revoked_tokens, master_keys and retention.
GRANT SELECT, INSERT, UPDATE, DELETE ON
    team_logos, memberships, invitations,
    client_identifiers, app_ids, service_ids, service_domains, domains, return_urls, keys, email_sources, apple_keys,
    apple_connections, apple_connection_tests,
    users, login_names, passwords, totp_secrets, passkey_handles, passkeys, recovery_codes, sessions, mailed_links,
    signing_keys, key_uses, client_secret_ends, redeeming_clients, not_befores, interactions, authorization_codes,
    refresh_tokens, consents, test_sign_ins, transfer_subs, transferred_people,
    upstream_requests, native_handovers, upstream_announcements, upstream_identities, upstream_tokens,
    upstream_notifications, upstream_unlinks,
    deletion_receipts, deletion_receipt_tokens, notifications, delivery_attempts,
    traces, trace_events, daily_counts, service_id_sign_ins,
    apple_publications, limits
TO pippin_app;
GRANT SELECT, INSERT, UPDATE ON teams, jobs, audit_chains, audit_checkpoints TO pippin_app;
GRANT SELECT, INSERT, DELETE ON mailbox TO pippin_app;
GRANT SELECT, INSERT ON ended_clients, audit_events, audit_seals TO pippin_app;
GRANT SELECT, DELETE ON audit_unsealed TO pippin_app;
GRANT SELECT ON registry_versions, audit_words, audit_people TO pippin_app;
GRANT SELECT, INSERT, UPDATE (state, settled_at) ON app_transfers TO pippin_app;

-- pippin_system, in the rows of all teams: of tables with personal data only columns without any.
GRANT SELECT, INSERT, UPDATE, DELETE ON setup_links, heartbeats TO pippin_system;
GRANT SELECT ON teams, memberships, registry_versions, audit_unsealed, audit_chains TO pippin_system;
GRANT SELECT (team_id, invitation_id, token_hash, expires_at) ON invitations TO pippin_system;
GRANT SELECT (team_id, check_due_at) ON domains TO pippin_system;
GRANT SELECT (team_id, check_due_at) ON email_sources TO pippin_system;
GRANT SELECT (team_id, answered_at, settled_at, settle_at) ON upstream_requests TO pippin_system;
GRANT SELECT (team_id, state, validate_at) ON upstream_tokens TO pippin_system;
GRANT SELECT (team_id, job_id, kind, priority, state, attempts, created_at, due_at, worker, finished_at),
    UPDATE (attempts, due_at, worker) ON jobs TO pippin_system;
GRANT SELECT (name) ON retention TO pippin_system;
-- A table of the migrator, which is absent where this file is run by hand.
DO $$
BEGIN
    IF to_regclass('pippin_migrations') IS NOT NULL THEN
        GRANT SELECT (number, name) ON pippin_migrations TO pippin_system;
    END IF;
END
$$;

-- Functions that run with the owner's rights, or change the schema.
REVOKE EXECUTE ON FUNCTION
    pippin_force_rls, pippin_tenant_tables, pippin_registry_changed, pippin_client_deleted, pippin_client_created,
    pippin_token_revoked, pippin_recall_transferred, pippin_audit_added, pippin_audit_person_deleted,
    pippin_team_is_open, pippin_lock_open_teams, pippin_empty_team, pippin_apply_audit_retention,
    pippin_empty_time_partition, pippin_keep_traces, pippin_make_partitions, pippin_drop_partitions,
    pippin_apply_retention, pippin_purge_refresh_tokens, pippin_purge_ended_clients
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    pippin_team_is_open, pippin_lock_open_teams, pippin_empty_team, pippin_apply_audit_retention
TO pippin_app;
GRANT EXECUTE ON FUNCTION
    pippin_empty_time_partition, pippin_keep_traces, pippin_make_partitions, pippin_drop_partitions,
    pippin_apply_retention, pippin_purge_refresh_tokens, pippin_purge_ended_clients
TO pippin_system;

-- The beginning of an installation ---------------------------------------------------------------------------

SELECT pippin_make_partitions(), pippin_keep_traces();

-- The system team, whose users are the console accounts. It has no App IDs, appears in no list, and is not registered
-- with by oneself.
INSERT INTO teams (team_id, name, mode, is_system, registration)
VALUES ('PIPPIN0000', 'Pippin', 'production', true, 'off');
