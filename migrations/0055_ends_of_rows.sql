-- What a team, or one that is not asked for, may leave behind again and again goes, and what is read of it is read by an
-- index of what counts.

-- Cut-offs of clients that are gone are kept for as long as a token may last, lest a client of the same name finds old
-- ones working, and are not read meanwhile.
ALTER TABLE token_cutoffs ADD COLUMN client_gone_at timestamptz;
UPDATE token_cutoffs AS cutoff SET client_gone_at = now()
WHERE client_id <> '*' AND NOT EXISTS (
    SELECT FROM client_identifiers AS client
    WHERE client.team_id = cutoff.team_id AND client.identifier = cutoff.client_id
);
CREATE INDEX token_cutoffs_standing ON token_cutoffs (team_id, not_before) WHERE client_gone_at IS NULL;
CREATE INDEX token_cutoffs_gone ON token_cutoffs (client_gone_at) WHERE client_gone_at IS NOT NULL;

-- With the name goes that it ever redeemed a code.
DELETE FROM redeeming_clients AS redeemer WHERE NOT EXISTS (
    SELECT FROM client_identifiers AS client
    WHERE client.team_id = redeemer.team_id AND client.identifier = redeemer.client_id
);

CREATE FUNCTION pippin_client_gone() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE token_cutoffs SET client_gone_at = now() WHERE team_id = OLD.team_id AND client_id = OLD.identifier;
    DELETE FROM redeeming_clients WHERE team_id = OLD.team_id AND client_id = OLD.identifier;
    RETURN NULL;
END
$$;
CREATE FUNCTION pippin_client_back() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE token_cutoffs SET client_gone_at = NULL
    WHERE team_id = NEW.team_id AND client_id = NEW.identifier AND client_gone_at IS NOT NULL;
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_client_gone, pippin_client_back FROM PUBLIC;
CREATE TRIGGER client_gone AFTER DELETE ON client_identifiers FOR EACH ROW EXECUTE FUNCTION pippin_client_gone();
CREATE TRIGGER client_back AFTER INSERT ON client_identifiers FOR EACH ROW EXECUTE FUNCTION pippin_client_back();

-- An id_token lasts a day at most.
CREATE FUNCTION pippin_purge_token_cutoffs(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM token_cutoffs WHERE (team_id, client_id) IN (
            SELECT team_id, client_id FROM token_cutoffs WHERE client_gone_at < now() - interval '2 days'
            ORDER BY client_gone_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;

-- The keys that work, without a walk past all that were revoked.
CREATE INDEX keys_active ON keys (team_id, app_id) WHERE slot IS NOT NULL;

-- Offers that were not accepted go: a team cannot make another one read them for ever.
CREATE INDEX app_transfers_given ON app_transfers (team_id, app_id, settled_at) WHERE state = 'accepted';
CREATE INDEX app_transfers_taken ON app_transfers (target_team, app_id, settled_at) WHERE state = 'accepted';
CREATE INDEX app_transfers_target_key ON app_transfers (target_team, transfer_id);
CREATE INDEX app_transfers_offered_at ON app_transfers (team_id, offered_at) WHERE state <> 'accepted';
CREATE INDEX app_transfers_age ON app_transfers (offered_at) WHERE state <> 'accepted';

-- An offer stands for fourteen days, and is shown for as long once it was settled.
CREATE FUNCTION pippin_purge_app_transfers(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM app_transfers WHERE (team_id, transfer_id) IN (
            SELECT team_id, transfer_id FROM app_transfers
            WHERE state <> 'accepted' AND offered_at < now() - interval '28 days'
            ORDER BY offered_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;

-- The refresh tokens of a client that is gone are found without a look at all of the team's. They go with it where they
-- are few; else a batch at a time, and until then no other client has its name.
CREATE INDEX refresh_tokens_client ON refresh_tokens (team_id, client_id);
CREATE TABLE ended_clients (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    client_id text COLLATE "C" NOT NULL,
    ended_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, client_id)
);
CREATE INDEX ended_clients_ended_at ON ended_clients (ended_at);
SELECT pippin_wall('ended_clients');
GRANT SELECT, INSERT ON ended_clients TO pippin_app;

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
            WHERE team_id = ended.team_id AND client_id = ended.client_id LIMIT batch - total
        );
        GET DIAGNOSTICS went = ROW_COUNT;
        total := total + went;
        EXIT WHEN total >= batch;
        DELETE FROM ended_clients WHERE team_id = ended.team_id AND client_id = ended.client_id;
    END LOOP;
    RETURN total;
END
$$;

-- Receipts of deletions name a person who is gone: they are kept as long as the events of the audit log.
CREATE INDEX deletion_receipts_created_at ON deletion_receipts (created_at);
CREATE FUNCTION pippin_purge_deletion_receipts(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM deletion_receipts WHERE (team_id, receipt_id) IN (
            SELECT team_id, receipt_id FROM deletion_receipts WHERE created_at < now() - interval '400 days'
            ORDER BY created_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;

-- Each kind has an index of its own, so that what waits longer is not in front of what goes sooner. A batch is small and
-- the rows are many: they are looked up one by one, whatever is known of their number.
CREATE INDEX provider_trips_over ON provider_trips (created_at) WHERE answered_at IS NULL OR settled_at IS NOT NULL;
CREATE INDEX provider_trips_waiting ON provider_trips (created_at) WHERE answered_at IS NOT NULL AND settled_at IS NULL;
DROP INDEX provider_trips_created_at;
CREATE OR REPLACE FUNCTION pippin_purge_provider_trips(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH over AS MATERIALIZED (
        SELECT team_id, state_hash FROM provider_trips
        WHERE (answered_at IS NULL OR settled_at IS NOT NULL) AND created_at < now() - interval '1 hour'
        ORDER BY created_at LIMIT batch FOR UPDATE SKIP LOCKED
    ), waiting AS MATERIALIZED (
        SELECT team_id, state_hash FROM provider_trips
        WHERE answered_at IS NOT NULL AND settled_at IS NULL AND created_at < now() - interval '7 days'
        ORDER BY created_at LIMIT batch FOR UPDATE SKIP LOCKED
    ), purged AS (
        DELETE FROM provider_trips WHERE (team_id, state_hash) IN (
            (SELECT team_id, state_hash FROM over UNION ALL SELECT team_id, state_hash FROM waiting) LIMIT batch
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;

CREATE INDEX provider_announcements_nameless ON provider_announcements (held_until) WHERE form_given_name IS NULL;
CREATE INDEX provider_announcements_named ON provider_announcements (held_until) WHERE form_given_name IS NOT NULL;
DROP INDEX provider_announcements_held_until;
CREATE OR REPLACE FUNCTION pippin_purge_provider_announcements(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH nameless AS MATERIALIZED (
        SELECT team_id, mark FROM provider_announcements
        WHERE form_given_name IS NULL AND held_until < now() - interval '1 hour'
        ORDER BY held_until LIMIT batch FOR UPDATE SKIP LOCKED
    ), named AS MATERIALIZED (
        SELECT team_id, mark FROM provider_announcements
        WHERE form_given_name IS NOT NULL AND held_until < now() - interval '1 year'
        ORDER BY held_until LIMIT batch FOR UPDATE SKIP LOCKED
    ), purged AS (
        DELETE FROM provider_announcements WHERE (team_id, mark) IN (
            (SELECT team_id, mark FROM nameless UNION ALL SELECT team_id, mark FROM named) LIMIT batch
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;

REVOKE EXECUTE ON FUNCTION pippin_purge_token_cutoffs, pippin_purge_app_transfers, pippin_purge_ended_clients,
    pippin_purge_deletion_receipts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_token_cutoffs, pippin_purge_app_transfers, pippin_purge_ended_clients,
    pippin_purge_deletion_receipts TO pippin_system;
