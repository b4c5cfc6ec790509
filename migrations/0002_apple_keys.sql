-- runs-with: 0001
-- needed: now

-- Whether the key set of a team that is connected to Apple holds Apple's keys: `automatic` while no Service ID of the team
-- has Apple's issuer, `always` also beside such a one, `off` never.
ALTER TABLE teams ADD COLUMN apple_keys text NOT NULL DEFAULT 'automatic'
    CHECK (apple_keys IN ('automatic', 'always', 'off'));
