// Operations: what operators need to know of the installation: its processes and its database.
//
// Owns: the sign of life of each process, facts about the database.
// Must not know: what the processes do.
