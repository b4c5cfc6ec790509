-- Sign-ins are counted by team and day, in one row whatever the team registers and deletes meanwhile. When somebody last
-- signed in to a Service ID is kept beside it, and goes with it.
CREATE TABLE service_id_sign_ins (
    team_id text COLLATE "C" NOT NULL,
    service_id text COLLATE "C" NOT NULL,
    last_day date NOT NULL,
    PRIMARY KEY (team_id, service_id),
    FOREIGN KEY (team_id, service_id) REFERENCES service_ids ON DELETE CASCADE
);
SELECT pippin_wall('service_id_sign_ins');
GRANT SELECT, INSERT, UPDATE, DELETE ON service_id_sign_ins TO pippin_app;

INSERT INTO service_id_sign_ins (team_id, service_id, last_day)
SELECT team_id, identifier, max(day)
FROM service_ids JOIN daily_counts USING (team_id)
WHERE measure = 'sign_in' AND subject = identifier
GROUP BY team_id, identifier;

WITH counted AS (
    DELETE FROM daily_counts WHERE measure = 'sign_in' AND subject <> ''
    RETURNING team_id, day, count
)
INSERT INTO daily_counts AS known (team_id, measure, day, subject, count)
SELECT team_id, 'sign_in', day, '', sum(count) FROM counted GROUP BY team_id, day
ON CONFLICT (team_id, measure, day, subject) DO UPDATE SET count = known.count + excluded.count;
