-- One page of a list of App IDs, twenty-five of fifty and one to tell that more follow, with counts beside them.
\startpipeline
SELECT set_config('pippin.team', 'ACMETEAM01', true);
WITH page AS MATERIALIZED (
    SELECT identifier, description, is_enabled, primary_identifier, notification_url, version, created_at
    FROM app_ids WHERE team_id = 'ACMETEAM01' ORDER BY identifier LIMIT 26
)
SELECT coalesce(services.count, 0), coalesce(active.count, 0), page.*
FROM page
LEFT JOIN (
    SELECT app_id, count(*) FROM service_ids
    WHERE team_id = 'ACMETEAM01' AND app_id IN (SELECT identifier FROM page) GROUP BY app_id
) AS services ON services.app_id = page.identifier
LEFT JOIN (
    SELECT app_id, count(*) FROM keys
    WHERE team_id = 'ACMETEAM01' AND rank IS NOT NULL AND app_id IN (SELECT identifier FROM page) GROUP BY app_id
) AS active ON active.app_id = page.identifier
ORDER BY page.identifier;
\endpipeline
