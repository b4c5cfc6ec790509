-- What a busy installation has in its queue, its delivery log and its mailbox: :jobs of each, most of them done.
SET session_replication_role = replica;

INSERT INTO jobs (
    team_id, job_id, kind, priority, state, attempts, created_at, due_at, finished_at, keep_until, payload
)
SELECT population_team(n, :teams), population_id(n, 'job'),
    CASE WHEN n % 50 = 0 THEN 'mail.send' ELSE 'notification.delivery' END, 1, state, 1, at,
    CASE state WHEN 'pending' THEN now() + interval '9 days' ELSE at END,
    CASE WHEN state <> 'pending' THEN at END, CASE WHEN state <> 'pending' THEN now() + interval '9 days' END, '{}'
FROM (
    SELECT n, now() - (:jobs - n) * interval '5 seconds' AS at,
        CASE n % 200 WHEN 0 THEN 'dead' WHEN 1 THEN 'pending' WHEN 2 THEN 'cancelled' ELSE 'succeeded' END AS state
    FROM generate_series(1, :jobs) AS n
) AS queued;

INSERT INTO notifications (
    team_id, notification_id, app_id, type, sub, event_time, state, attempts, created_at, settled_at
)
SELECT :'team', population_id(n, 'notification'), CASE WHEN n % 1000 = 0 THEN 'com.acme.shop5' ELSE 'com.acme.app' END,
    CASE WHEN n % 500 = 0 THEN 'account-delete' ELSE 'consent-revoked' END,
    population_sub(2 * (1 + n % (:people / 2))), at,
    CASE WHEN n % 1000 = 7 THEN 'dead' ELSE 'delivered' END, 1, at, at
FROM (
    SELECT n, now() - (:jobs - n) * interval '30 seconds' AS at FROM generate_series(1, :jobs) AS n
) AS sent;
INSERT INTO delivery_attempts (team_id, notification_id, number, at, url, status, milliseconds)
SELECT team_id, notification_id, 1, created_at, 'https://acme.example/notifications', 200, 40
FROM notifications WHERE team_id = :'team';

INSERT INTO mailbox (team_id, mail_id, at, of_team, message, recipient, subject, body_text, body_html)
SELECT 'PIPPIN0000', population_id(n, 'mail'), now() - (:jobs - n) * interval '10 seconds', population_team(n, :teams),
    'new-sign-in', 'person' || n || '@mail' || n % 7 || '.example', 'A new sign-in',
    'Somebody signed in.', '<p>Somebody signed in.</p>'
FROM generate_series(1, :jobs) AS n;

ANALYZE jobs, notifications, delivery_attempts, mailbox;
