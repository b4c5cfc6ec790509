-- What the rounds about tokens of providers, the overview, notices that wait, connections to Apple and the watch over
-- what Apple publishes stand on.

-- Rounds walk from team to team, so that no team waits for another's tokens: each step is one look.
CREATE INDEX provider_tokens_due ON provider_tokens (team_id, validate_at) WHERE state = 'live';
DROP INDEX provider_tokens_validate_at;
CREATE INDEX provider_tokens_ending ON provider_tokens (team_id, token_id) WHERE state = 'ending';
-- Since when Apple refuses something to a group of apps, without counting what it refuses.
CREATE INDEX provider_tokens_problem_app ON provider_tokens (team_id, app_id, problem_at) WHERE problem IS NOT NULL;

-- Anybody can send notices, so how many wait is asked often.
CREATE INDEX jobs_provider_notices ON jobs (team_id) WHERE kind = 'provider.notice' AND state = 'pending';

-- A Services ID says which group of apps a notice is for, so two connections of a team cannot share one. Of those that
-- do already the oldest counts; the others are marked until they are changed.
ALTER TABLE apple_connections ADD COLUMN shares_services_id boolean NOT NULL DEFAULT false;
UPDATE apple_connections AS c SET shares_services_id = true
WHERE EXISTS (
    SELECT FROM apple_connections AS older
    WHERE older.team_id = c.team_id AND older.services_id = c.services_id
        AND (older.created_at, older.app_id) < (c.created_at, c.app_id)
);
CREATE UNIQUE INDEX apple_connections_services_id_key ON apple_connections (team_id, services_id)
    WHERE NOT shares_services_id;

-- What an operator took for known; of keys, which are pinned nowhere, what was seen first. `known` is what the last look
-- compared with.
ALTER TABLE apple_publications ADD COLUMN approved jsonb;
UPDATE apple_publications SET approved = known WHERE document = 'keys';
