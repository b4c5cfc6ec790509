-- What apps are told: notices with each attempt to deliver them, and the receipts of deleted accounts.

-- A notice to the app group of a primary App ID. Whom it is about is a `sub` alone; an address is read when it is sent.
CREATE TABLE notices (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    notice_id text COLLATE "C" NOT NULL CHECK (notice_id ~ '^[a-z2-7]{26}$'),
    app_id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL
        CHECK (type IN ('consent-revoked', 'account-delete', 'email-disabled', 'email-enabled')),
    sub text COLLATE "C" NOT NULL,
    event_time timestamptz NOT NULL,
    -- Sent from the console, about nobody.
    is_test boolean NOT NULL DEFAULT false,
    state text COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    settled_at timestamptz,
    PRIMARY KEY (team_id, notice_id)
);
CREATE INDEX notices_created_at ON notices (team_id, created_at DESC, notice_id);
CREATE INDEX notices_sub ON notices (team_id, sub);
-- Purged by age, for all teams at once.
CREATE INDEX notices_age ON notices (created_at);

-- What an app's server answered, attempt by attempt.
CREATE TABLE notice_attempts (
    team_id text COLLATE "C" NOT NULL,
    notice_id text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    url text NOT NULL,
    -- NULL: there was no answer, and `problem` says why.
    status integer,
    problem text,
    milliseconds integer NOT NULL,
    -- The beginning of the answer.
    excerpt text NOT NULL DEFAULT '',
    PRIMARY KEY (team_id, notice_id, number),
    FOREIGN KEY (team_id, notice_id) REFERENCES notices ON DELETE CASCADE
);

-- What became of a deleted account. The id is all that is needed to read it, so it cannot be guessed, and it names
-- nobody.
CREATE TABLE deletion_receipts (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    receipt_id text COLLATE "C" NOT NULL CHECK (receipt_id ~ '^[a-z2-7]{26}$'),
    sub text COLLATE "C" NOT NULL,
    -- The group of the client that asked; NULL where a person or a member of the team did.
    app_id text COLLATE "C",
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (team_id, receipt_id)
);
CREATE INDEX deletion_receipts_sub ON deletion_receipts (team_id, sub);

CREATE TABLE deletion_receipt_tokens (
    team_id text COLLATE "C" NOT NULL,
    receipt_id text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    issued_at timestamptz NOT NULL,
    fate text COLLATE "C" NOT NULL CHECK (fate IN ('pending', 'revoked', 'refused')),
    settled_at timestamptz,
    PRIMARY KEY (team_id, receipt_id, number),
    FOREIGN KEY (team_id, receipt_id) REFERENCES deletion_receipts ON DELETE CASCADE
);

DO $$
DECLARE
    tenant text;
BEGIN
    FOREACH tenant IN ARRAY ARRAY[
        'notices', 'notice_attempts', 'deletion_receipts', 'deletion_receipt_tokens'
    ] LOOP
        PERFORM pippin_wall(tenant::regclass);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO pippin_app', tenant);
    END LOOP;
END
$$;

-- Notices are kept for ninety days with their attempts, at most `batch` go with one call, the oldest first.
CREATE FUNCTION pippin_purge_notices(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM notices WHERE (team_id, notice_id) IN (
            SELECT team_id, notice_id FROM notices WHERE created_at < now() - interval '90 days'
            ORDER BY created_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;
REVOKE EXECUTE ON FUNCTION pippin_purge_notices FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_notices TO pippin_system;
