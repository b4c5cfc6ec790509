-- One INSERT of a sign-in under way, without a wait for the disk, in the team's walls, in one round trip.
\set time_partition random(0, 3)
\startpipeline
SELECT set_config('pippin.team', 'ACMETEAM01', true), set_config('synchronous_commit', 'off', true);
INSERT INTO interactions (
    team_id, time_partition, interaction_id, browser_hash, client_id, app_id, redirect_uri, response_type,
    response_mode, wants_name, wants_email, state, nonce, created_at
) VALUES (
    'ACMETEAM01', :time_partition::smallint, 'limit ' || gen_random_uuid()::text, '\x00', 'com.acme.web',
    'com.acme.app', 'http://127.0.0.1:9000/callback', 'code', 'form_post', true, true, 'state', 'nonce', now()
);
\endpipeline
