-- Second factors: one-time codes, passkeys, recovery codes.

-- The secret of a person's authenticator app, sealed for this place. The step is that of the last code that was
-- taken: no code of it or before works again.
CREATE TABLE totp_secrets (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    secret_sealed bytea NOT NULL,
    last_step bigint NOT NULL,
    confirmed_at timestamptz NOT NULL,
    last_used_at timestamptz,
    PRIMARY KEY (team_id, sub),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);

-- What authenticators know a person by: random, of this team alone.
CREATE TABLE passkey_handles (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    handle bytea NOT NULL CHECK (octet_length(handle) = 32),
    PRIMARY KEY (team_id, sub),
    CONSTRAINT passkey_handles_handle_key UNIQUE (team_id, handle),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);

CREATE TABLE passkeys (
    team_id text COLLATE "C" NOT NULL,
    credential_id bytea NOT NULL CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    sub text COLLATE "C" NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    -- As COSE numbers it: -7 is ES256, -257 is RS256.
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

-- Known by an HMAC: ten characters could be guessed from a plain digest.
CREATE TABLE recovery_codes (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    code_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (team_id, sub, code_hash),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);

-- When the person of a session proved last that it is them.
ALTER TABLE sessions ADD COLUMN proved_at timestamptz NOT NULL DEFAULT now();

DO $$
DECLARE
    tenant text;
BEGIN
    FOREACH tenant IN ARRAY ARRAY['totp_secrets', 'passkey_handles', 'passkeys', 'recovery_codes'] LOOP
        PERFORM pippin_wall(tenant::regclass);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO pippin_app', tenant);
    END LOOP;
END
$$;
