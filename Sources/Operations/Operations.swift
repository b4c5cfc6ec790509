// Operations: the status of the installation for operators: its processes and its database.
//
// Owns: the heartbeat of each process, the status of the database.
// Must not know: what the processes do.
