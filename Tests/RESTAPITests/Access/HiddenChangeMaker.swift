import HoldfastTestSupport

/// Makes random changes of ``HiddenDocs``: what their user sees is changed alike in both worlds, and what they do not see in each as it comes.
struct HiddenChangeMaker {
    private var random: SeededGenerator
    /// Counts the changes, so that none changes nothing.
    private var tick = 0
    /// Hidden documents that are there for now, to which nothing leads, by world.
    private var strays: [Set<Int>] = [[], []]
    /// Public documents out of sight.
    private var unseen: Set<Int> = []
    /// Public documents that are the user's for now, or the team's.
    private var shared: Set<Int> = []
    private var hasLoose = false
    /// Whether the user is of the team.
    private var isMember = true
    /// Where the hidden links of what is seen lead, by world, document and property.
    private var places: [String: Int] = [:]

    private static let publics = [1, 2, 3, 4, 5, 6]
    private static let own = [10, 11, 12]
    /// Hidden documents that stay.
    private static let kept = [90, 91, 92]
    private static let strayKeys = [94, 95, 96]
    /// A public one that comes and goes.
    private static let loose = 8

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: values.indices, using: &random)]
    }

    /// Makes some changes, without a request between them.
    mutating func makeSome() -> [TwoWorlds.Change] { chance(15) ? interlude() : [make()] }

    /// Takes from the user the read access that depends on their own object, or on an object that it leads to, and gives it back. Meanwhile an
    /// object that they would have seen is created and deleted, under another key in each world.
    private mutating func interlude() -> [TwoWorlds.Change] {
        tick += 1
        func user(_ members: String) -> TwoWorlds.Write {
            TwoWorlds.Write("PATCH", "/classes/Person/objects/ann", members)
        }
        let (isOfUser, isDeleted) = (chance(60), chance(50))
        let begin = user(isOfUser ? #"{"on":false}"# : #"{"team":"gh"}"#)
        let end = user(isOfUser ? #"{"on":true}"# : #"{"team":"red"}"#)
        let keys = [97, 98].shuffled(using: &random)
        let come = keys.map {
            TwoWorlds.Write(
                "PUT", "/classes/Doc/objects/\($0)",
                "{\"n\":65,\"title\":\"x\(tick)\",\"refs\":[2]}")
        }
        let go = keys.map {
            isDeleted
                ? TwoWorlds.Write("DELETE", "/classes/Doc/objects/\($0)")
                : patch($0, ["\"n\":99", "\"refs\":[]"])
        }
        return [
            TwoWorlds.Change("less for a while", begin),
            TwoWorlds.Change("what would be seen comes", come[0], come[1]),
            TwoWorlds.Change("it goes", go[0], go[1]), TwoWorlds.Change("as before", end),
        ]
    }

    /// Makes a change.
    mutating func make() -> TwoWorlds.Change {
        tick += 1
        switch Int.random(in: 0..<14, using: &random) {
        case 12: return reading()
        case 13: return chance(40) ? document() : acknowledgement()
        case 0...4:
            return hidden()
        case 5, 6: return hiddenOfSeen()
        case 7: return visibility()
        case 8: return share()
        case 9: return loose()
        case 10: return seen()
        default:
            let key = pick(Self.own)
            return TwoWorlds.Change("the user's own", patch(key, ownValues()), isOwn: true)
        }
    }

    // MARK: Writes

    private func patch(_ key: Int, _ members: [String]) -> TwoWorlds.Write {
        TwoWorlds.Write(
            "PATCH", "/classes/Doc/objects/\(key)", "{" + members.joined(separator: ",") + "}")
    }

    /// Changes some hidden things in a version, as many of each class in both worlds.
    private mutating func hidden() -> TwoWorlds.Change {
        let keptCount = pick([0, 1, 1, 2, 3])
        let (hasStray, hasVault, hasTeam) = (chance(30), chance(30), chance(10))
        let hasReading = chance(20)
        let writes = [0, 1].map { world in
            var operations = [
                operation("put", "Vault", "9", ["\"tick\":\(tick)", "\"doc\":\(anyLink())"])
            ]
            for key in Self.kept.shuffled(using: &random).prefix(keptCount) {
                operations.append(operation("patch", "Doc", "\(key)", hiddenValues()))
            }
            if hasStray {
                let key = pick(Self.strayKeys)
                let isNew = strays[world].insert(key).inserted
                if !isNew { strays[world].remove(key) }
                operations.append(
                    isNew
                        ? operation("put", "Doc", "\(key)", hiddenValues())
                        : #"{"op":"delete","class":"Doc","id":\#(key)}"#)
            }
            if hasVault {
                let members = [
                    "\"tick\":\(tick)", "\"doc\":\(anyLink())", "\"docs\":\(anyLinks())",
                ]
                operations.append(operation("put", "Vault", "\(pick([1, 2, 3]))", members))
            }
            if hasTeam {
                let lead = (tick + world) % 2 == 0 ? "zed" : "yan"
                operations.append(operation("patch", "Team", "\"gh\"", ["\"lead\":\"\(lead)\""]))
            }
            if hasReading { operations.append(creation("zed", anyLink(), value: tick + world)) }
            return transaction(operations)
        }
        return TwoWorlds.Change("hidden", writes[0], writes[1])
    }

    private func transaction(_ operations: [String]) -> TwoWorlds.Write {
        TwoWorlds.Write(
            "POST", "/transactions", "{\"operations\":[\(operations.joined(separator: ","))]}")
    }

    /// The creation of a reading, of which the note is hidden.
    private mutating func creation(_ device: String, _ link: String, value: Int) -> String {
        let members =
            "\"device\":\"\(device)\",\"doc\":\(link),\"note\":\"\(anyLink())\",\"value\":\(value)"
        return "{\"op\":\"create\",\"class\":\"Reading\",\"value\":{\(members)}}"
    }

    /// Puts readings of two devices into the outbox: the user's alike in both worlds, but for their notes and links to what is hidden.
    private mutating func reading() -> TwoWorlds.Change {
        let link = chance(30) ? nil : "\(pick(Self.own))"
        let isFirst = chance(50)
        let writes = [0, 1].map { world in
            let own = creation("ann", link ?? "\(pick(Self.kept))", value: tick)
            let other = creation("zed", anyLink(), value: tick + world)
            return transaction(isFirst ? [own, other] : [other, own])
        }
        return TwoWorlds.Change("readings", writes[0], writes[1])
    }

    /// Takes out of the outbox what the user sees there.
    private func acknowledgement() -> TwoWorlds.Change {
        TwoWorlds.Change(
            "an acknowledgement",
            TwoWorlds.Write("DELETE", "/classes/Reading/outbox?through={through}"), isOwn: true)
    }

    /// Sets another access document, by which the user sees the same in both worlds too.
    private mutating func document() -> TwoWorlds.Change {
        TwoWorlds.Change(
            "another document", TwoWorlds.Write("PUT", "/access", pick(HiddenDocs.documents)))
    }

    private func operation(
        _ name: String, _ className: String, _ key: String, _ members: [String]
    ) -> String {
        let value = "{" + members.joined(separator: ",") + "}"
        return
            "{\"op\":\"\(name)\",\"class\":\"\(className)\",\"id\":\(key),\"value\":\(value)}"
    }

    /// A link to what stays.
    private mutating func anyLink() -> String {
        chance(15) ? "null" : "\(pick(Self.publics + Self.own + Self.kept + [7]))"
    }

    private mutating func anyLinks() -> String {
        let links = (0..<pick([0, 1, 2, 3])).map { _ in anyLink() }.filter { $0 != "null" }
        return "[" + links.joined(separator: ",") + "]"
    }

    /// Values of what stays hidden.
    private mutating func hiddenValues() -> [String] {
        // Each time another.
        var members = ["\"note\":\"\(tick)\""]
        for _ in 0..<pick([1, 2, 3]) {
            members.append(
                pick([
                    "\"title\":\"\(pick(["x", "y", "z"]))\"", "\"n\":\(pick([0, 5, 9, 99]))",
                    "\"ref\":\(anyLink())",
                    "\"refs\":\(anyLinks())", "\"refs\":\(anyLinks())",
                    "\"secret\":\(anyLink())", "\"secrets\":\(anyLinks())",
                    "\"part\":{\"to\":\(anyLink())}", "\"parts\":[{\"to\":\(anyLink())}]",
                ]))
        }
        return unique(members)
    }

    /// The last of the members of each name.
    private func unique(_ members: [String]) -> [String] {
        var byName: [Substring: String] = [:]
        for member in members { byName[member.prefix { $0 != ":" }] = member }
        return byName.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Changes what is hidden of a document that is seen: the same one in both worlds, as its version is no secret.
    private mutating func hiddenOfSeen() -> TwoWorlds.Change {
        let keys = Set(Self.publics).subtracting(shared).sorted()
        guard !keys.isEmpty else { return seen() }
        let key = pick(keys)
        let name = pick(["ref", "refs", "others", "named", "parts", "free", "", "", ""])
        let isFirst = chance(50)
        let link = pick([2, 3, 5])
        let writes = [0, 1].map { world in
            // The same again would be no change of the link.
            let place = "\(world) \(key) \(name)"
            let stays = pick(Self.kept.filter { $0 != places[place] ?? (90 + world) })
            if !name.isEmpty { places[place] = stays }
            var members = ["\"note\":\"\(tick) of \(world)\""]
            switch name {
            case "ref": members.append("\"ref\":\(stays)")
            case "refs":
                members.append(
                    "\"refs\":" + (isFirst ? "[\(stays),\(link)]" : "[\(link),\(stays)]"))
            case "others": members.append("\"others\":[\(link),\(stays)]")
            case "named": members.append("\"named\":{\"a\":\(link),\"b\":\(stays)}")
            case "parts": members.append("\"parts\":[{\"label\":\"p\",\"to\":\(stays)}]")
            case "free": members.append("\"free\":{\"$link\":{\"class\":\"Doc\",\"id\":\(stays)}}")
            default:
                members.append("\"secret\":\(anyLink())")
                members.append("\"secrets\":[\(pick(Self.own)),\(stays)]")
                members.append("\"part\":{\"to\":\(anyLink())}")
            }
            return patch(key, members)
        }
        return TwoWorlds.Change("what is hidden of a public one", writes[0], writes[1])
    }

    // MARK: What is seen

    /// Values that are seen.
    private mutating func ownValues() -> [String] {
        func link() -> Int { pick(Set(Self.publics).subtracting(unseen).sorted() + Self.own) }
        var members = ["\"title\":\"\(pick(["x", "y", "z"]))\""]
        switch Int.random(in: 0..<6, using: &random) {
        case 0: members.append("\"ref\":\(link())")
        case 1: members.append("\"refs\":[\(link()),\(link())]")
        case 2: members.append("\"others\":[\(link())]")
        case 3: members.append("\"parts\":[{\"label\":\"q\",\"to\":\(link())}]")
        case 4: members.append("\"named\":{\"a\":\(link())}")
        default: break
        }
        members.append("\"n\":\(tick % 50)")
        return members
    }

    private mutating func seen() -> TwoWorlds.Change {
        let keys = Set(Self.publics).subtracting(unseen).sorted() + [7]
        return TwoWorlds.Change("one that is seen", patch(pick(keys), ownValues()))
    }

    /// Takes a public document out of sight, changes it there, or lets it come back as it was.
    private mutating func visibility() -> TwoWorlds.Change {
        if chance(20) {
            isMember.toggle()
            let members = isMember ? #"["ann"]"# : "[]"
            return TwoWorlds.Change(
                "the team",
                TwoWorlds.Write("PATCH", "/classes/Team/objects/red", "{\"members\":\(members)}"))
        }
        let key = pick(Self.publics)
        if shared.contains(key) { return seen() }
        guard unseen.contains(key) else {
            unseen.insert(key)
            return TwoWorlds.Change("out of sight", patch(key, ["\"public\":false"]))
        }
        if chance(40) {
            return TwoWorlds.Change(
                "what is out of sight", patch(key, ["\"title\":\"\(tick)\""]),
                patch(key, ["\"title\":\"x\(tick)\"", "\"n\":\(tick % 50)"]))
        }
        unseen.remove(key)
        return TwoWorlds.Change(
            "into sight", patch(key, ["\"public\":true", "\"title\":\"y\"", "\"n\":\(tick % 50)"]))
    }

    /// Gives a public document to the user, with all that it has, or takes it away.
    private mutating func share() -> TwoWorlds.Change {
        let key = pick(Self.publics)
        if unseen.contains(key) { return seen() }
        if shared.remove(key) != nil {
            return TwoWorlds.Change("the user's no more", patch(key, ["\"owner\":null"]))
        }
        shared.insert(key)
        return TwoWorlds.Change(
            "to the user",
            patch(
                key,
                [
                    "\"owner\":\"ann\"", "\"secret\":\(pick(["null", "3", "11"]))",
                    "\"secrets\":[2,10]",
                    "\"part\":null", "\"note\":\"x\"",
                ]))
    }

    private mutating func loose() -> TwoWorlds.Change {
        hasLoose.toggle()
        let target = "/classes/Doc/objects/\(Self.loose)"
        let members = (["\"public\":true"] + ownValues()).joined(separator: ",")
        return hasLoose
            ? TwoWorlds.Change("a public one comes", TwoWorlds.Write("PUT", target, "{\(members)}"))
            : TwoWorlds.Change("it goes", TwoWorlds.Write("DELETE", target))
    }
}
