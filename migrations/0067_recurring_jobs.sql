-- What is deleted of itself, and when: one rule a row, for the rows of all teams. A rule is changed by a later migration.
CREATE TABLE retention (
    name text COLLATE "C" PRIMARY KEY,
    table_name text NOT NULL,
    -- The columns of the primary key.
    key_columns text NOT NULL,
    -- Which rows may go. An index must lead to them in the order of `oldest_first`.
    expired text NOT NULL,
    oldest_first text NOT NULL,
    -- Does it instead, where more goes than the rows themselves: takes and returns a number of rows.
    function_name text
);
GRANT SELECT (name) ON retention TO pippin_system;

INSERT INTO retention (name, table_name, key_columns, expired, oldest_first) VALUES
    ('jobs', 'jobs', 'team_id, job_id', 'keep_until <= now()', 'keep_until'),
    ('sessions', 'sessions', 'team_id, token_hash', 'expires_at <= now()', 'expires_at'),
    ('limits', 'limits', 'team_id, subject', 'window_ends_at <= now()', 'window_ends_at'),
    -- Links that nobody followed.
    ('mailed_links', 'mailed_links', 'team_id, token_hash', 'expires_at <= now()', 'expires_at'),
    ('mailbox', 'mailbox', 'team_id, mail_id', $$team_id = 'PIPPIN0000' AND at < now() - interval '30 days'$$, 'at, mail_id'),
    -- What is left of a handover tells a repeated one, which is the same for a minute.
    ('native_handovers', 'native_handovers', 'team_id, body_hash', $$created_at < now() - interval '1 hour'$$, 'created_at'),
    -- A name waits for a year, and what holds none for nobody.
    ('provider_announcements.nameless', 'provider_announcements', 'team_id, mark',
        $$form_given_name IS NULL AND held_until < now() - interval '1 hour'$$, 'held_until'),
    ('provider_announcements.named', 'provider_announcements', 'team_id, mark',
        $$form_given_name IS NOT NULL AND held_until < now() - interval '1 year'$$, 'held_until'),
    -- An answer waits for a week at most.
    ('provider_partings', 'provider_partings', 'team_id, provider, identifier_hash, app_id',
        $$noted_at < now() - interval '8 days'$$, 'noted_at'),
    -- A request to a provider is good for a quarter of an hour, and holds what was posted to it: nothing needs it longer,
    -- once that is settled.
    ('provider_trips.over', 'provider_trips', 'team_id, state_hash',
        $$(answered_at IS NULL OR settled_at IS NOT NULL) AND created_at < now() - interval '20 minutes'$$, 'created_at'),
    ('provider_trips.waiting', 'provider_trips', 'team_id, state_hash',
        $$answered_at IS NOT NULL AND settled_at IS NULL AND created_at < now() - interval '7 days'$$, 'created_at'),
    -- The token itself is gone already.
    ('provider_tokens', 'provider_tokens', 'team_id, token_id',
        $$state = 'revoked' AND settled_at < now() - interval '90 days'$$, 'settled_at'),
    -- Too old by then to come again.
    ('provider_notices', 'provider_notices', 'team_id, provider, notice_hash',
        $$received_at < now() - interval '90 days'$$, 'received_at'),
    -- With their attempts.
    ('notices', 'notices', 'team_id, notice_id', $$created_at < now() - interval '90 days'$$, 'created_at'),
    ('transferred_people', 'transferred_people', 'team_id, transfer_sub, app_id', 'expires_at <= now()', 'expires_at'),
    -- What a test sign-in has seen holds a person's data.
    ('trials', 'trials', 'team_id, trial_id', $$created_at <= now() - interval '1 day'$$, 'created_at'),
    -- Cut-offs of clients that are gone: an id_token lasts a day at most.
    ('token_cutoffs', 'token_cutoffs', 'team_id, client_id', $$client_gone_at < now() - interval '2 days'$$, 'client_gone_at'),
    -- They name a person who is gone: kept as long as the events of the audit log.
    ('deletion_receipts', 'deletion_receipts', 'team_id, receipt_id', $$created_at < now() - interval '400 days'$$, 'created_at'),
    -- An offer stands for fourteen days, and is shown for as long once it was settled.
    ('app_transfers.unanswered', 'app_transfers', 'team_id, transfer_id',
        $$state <> 'accepted' AND offered_at AT TIME ZONE 'UTC' + interval '28 days' < now() AT TIME ZONE 'UTC'$$,
        $$offered_at AT TIME ZONE 'UTC' + interval '28 days'$$),
    -- By an accepted one people are moved for sixty days; from then on it tells only how the App ID stands with a team
    -- that has it, by the last transfer of it. So it goes once the team that gave has the App ID no more, with which went
    -- whoever used it there, or has given or taken it since, and once the team that took has not given it before, or has
    -- given or taken it since.
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

-- With each revoked token go those of its person and group of apps that stayed before it (0044); with each client that has
-- ended its tokens (0064).
INSERT INTO retention (name, table_name, key_columns, expired, oldest_first, function_name) VALUES
    ('refresh_tokens', 'revoked_tokens', 'revoked_at, team_id, token_id', $$revoked_at < now() - interval '30 days'$$,
        'revoked_at, team_id, token_id', 'pippin_purge_refresh_tokens'),
    ('ended_clients', 'ended_clients', 'team_id, client_id', 'true', 'ended_at', 'pippin_purge_ended_clients');

-- Deletes at most `batch` rows of a rule, the oldest first, and returns how many. Owned by the migrating role, since this
-- is done for all teams at once. A batch is small and the rows are many: they are looked up one by one, whatever is known
-- of their number.
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
REVOKE EXECUTE ON FUNCTION pippin_apply_retention FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_apply_retention TO pippin_system;
-- The other functions named pippin_purge_… are called by releases before this one; they go with a later migration.

-- Recurring work of the installation is jobs of the system team, which are due again after so many seconds and have places
-- of their own. Every process declares its own: none has to be moved here.
ALTER TABLE jobs
    ADD COLUMN every_seconds integer CHECK (every_seconds > 0),
    -- When the last run ended, and how long it took.
    ADD COLUMN ran_at timestamptz,
    ADD COLUMN ran_milliseconds integer,
    DROP CONSTRAINT jobs_priority_check,
    ADD CONSTRAINT jobs_priority_check CHECK (priority IN (0, 1, 2)),
    ADD CONSTRAINT jobs_every_check CHECK ((every_seconds IS NOT NULL) = (priority = 2));
-- The table `schedules` is written by releases before this one; it goes with a later migration.

-- The heartbeat of each process, with its load and its counters. The table `processes` is for releases before this one; it
-- goes with a later migration.
CREATE TABLE heartbeats (
    process_id text COLLATE "C" PRIMARY KEY,
    seen_at timestamptz NOT NULL,
    heartbeat jsonb NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON heartbeats TO pippin_system;
