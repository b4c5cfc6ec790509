import Templates

/// Where templates and texts are.
let repository = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

/// Read once for all worlds, and each page bound once: that takes longer than most tests.
let repositoryPages = Result {
    try Pages(folder: repository + "/Templates", texts: repository + "/Texts", isWatching: false)
}
