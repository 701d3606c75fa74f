import HoldfastText

extension Verb {
    /// The verbs of other programs.
    private static let foreignVerbs = ForeignWords([
        "serve": "start run init up daemon studio console ui", "export": "dump", "import": "load",
        "check": "repair verify fsck doctor", "compact": "vacuum shrink optimize",
        "schema put": "migrate migration db",
        "schema typescript": "typescript types typegen codegen ts",
        "schema guess": "guess infer detect sniff propose",
        "account": "user users accounts",
        "token": "tokens apikey admin superuser",
        "access": "rules roles permissions", "health": "status ping", "--version": "v",
    ])

    /// Sentences about the verbs of other programs that no verb replaces as a whole.
    static let foreignVerbAdvice = ForeignWords(
        [:],
        advice: [
            "'check' finds faults and changes nothing; 'restore' makes a store from a backup":
                "repair fsck doctor",
            "a running service has its console at /console/": "studio console ui",
        ])

    /// The options of other programs.
    private static let foreignOptions = ForeignWords([
        "data": "db d dir directory path folder database dbpath datadir storage",
        "listen": "port p host address addr bind url http", "public": "static www assets publicdir",
        "url": "data d db host server service address listen port",
        "login": "email user username name", "class": "collection table model",
        "rights": "role scope permissions", "expires": "ttl", "key": "id pk",
    ])

    /// Finds the verb that unknown words probably mean: the whole verb, or its first word.
    static func meant(by words: [String], among verbs: [Verb]) -> String? {
        guard let first = words.first else { return nil }
        guard let word = foreignVerbs.word(for: first) else {
            return NearestName.of(first, among: verbs.map { String($0.name.prefix { $0 != " " }) })
        }
        let whole = ([word] + words.dropFirst()).joined(separator: " ") + " "
        return verbs.first { whole.hasPrefix($0.name + " ") }?.name ?? word
    }

    /// Finds the option that an unknown one probably means, as it is written.
    ///
    /// - `value`: The word behind the unknown option.
    func option(meantBy name: String, value: String?) -> String? {
        let names = options.map(\.name)
        let found =
            Self.foreignOptions.word(for: name, where: names.contains)
            ?? NearestName.of(name, among: names)
        // A format of other programs is a flag, as in '--format csv'.
        let option =
            options.first { $0.name == found }
            ?? options.first { $0.value == nil && $0.name == value }
        return option.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
    }

    /// Finds the option that an operand too many is the value of, as it is written.
    ///
    /// - `stated`: The names of the options that are given.
    func option(forOperandsOf operands: [String], beside stated: some Collection<String>) -> String?
    {
        func lacks(_ name: String) -> Bool {
            options.contains { $0.name == name } && !stated.contains(name)
        }
        if operandCount.upperBound > 0 {
            let name = operands.first { !$0.contains { "./".contains($0) } }
            return lacks("class") ? name.map { "--class \($0)" } : nil
        }
        guard operands.count == 1, lacks("data"), !stated.contains("url"),
            operands[0].contains("/") || FileSystem.isDirectory(operands[0])
        else { return nil }
        return "--data \(operands[0])"
    }
}
