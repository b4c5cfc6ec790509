-- What a person has under way ends with a changed password, a parting, a deletion: found without reading everything that
-- the team has under way.
CREATE INDEX attempts_sub ON attempts (team_id, sub) WHERE sub IS NOT NULL;
