-- What the simulator itself registers for teams of its installation: a return URL that leads back to Pippin.
INSERT INTO return_urls (team_id, service_id, rank, url) VALUES (:'team', :'client', 1, :'return_url');
