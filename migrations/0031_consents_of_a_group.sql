-- Without the person in it, the index looked as good as the primary key to a plan that is made for any team: one team's
-- group of half a million consents was then read to find one.
DROP INDEX consents_app_id;
CREATE INDEX consents_app_id ON consents (team_id, app_id, sub);
