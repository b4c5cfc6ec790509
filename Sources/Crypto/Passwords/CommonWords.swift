/// Common password words of the other languages of the pages, because the tables of zxcvbn are English.
///
/// The most frequent entries of lists published from leaks, in lowercase, the most common first; Russian words also as
/// typed on an English keyboard.
enum CommonWords {
    static let list = ["pippin"] + german + russian + chinese + indonesian

    private static let german = [
        "passwort", "hallo", "schatz", "kennwort", "geheim", "sommer", "winter", "frühling", "fruhling", "herbst",
        "ficken", "liebe", "ichliebedich", "sonnenschein", "fussball", "fusball", "arschloch", "schalke", "dortmund",
        "bayern", "berlin", "hamburg", "deutschland", "werder", "qwertz", "qwertzuiop", "willkommen", "schnecke",
        "blume", "engel", "mausi", "hase", "baby", "familie", "anmelden", "benutzer", "testen", "computer",
    ]
    private static let russian = [
        "пароль", "gfhjkm", "привет", "ghbdtn", "любовь", "k.,jdm", "йцукен", "солнышко", "cjkysirj", "наташа",
        "yfnfif", "россия", "hjccbz", "москва", "vjcrdf", "зенит", "ptybn", "спартак", "cgfhnfr", "parol", "privet",
        "lubov", "lyubov", "natasha", "samsung", "marina", "котенок", "rjntyjr", "максим", "vfrcbv",
    ]
    private static let chinese = [
        "woaini", "5201314", "1314520", "woaiwojia", "mima", "nihao", "a123456", "wang", "zhang", "aini", "taobao",
        "密码", "我爱你", "你好", "iloveyou1314", "qq123456", "123456abc", "woshishui", "caonima", "zhongguo",
    ]
    private static let indonesian = [
        "rahasia", "sayang", "sayangku", "cinta", "cintaku", "katasandi", "sandi", "indonesia", "jakarta", "bandung",
        "bismillah", "alhamdulillah", "persib", "garuda", "merdeka", "kucing", "sukses", "anjing", "akucintakamu",
        "semangat",
    ]
}
