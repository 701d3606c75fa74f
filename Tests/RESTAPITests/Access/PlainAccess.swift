import HoldfastAccess
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport

/// What a random access document lets ann do with lists, tasks and what waits in an outbox, evaluated plainly.
///
/// Lists and the boxes embedded in them have maps of links to secrets, a class that is mostly unknown to her. Some roles hold while her own
/// object says so.
struct PlainAccess {
    /// A condition on an object.
    indirect enum Rule {
        case always
        /// `<path> == $user.id`.
        case isUser([String])
        /// `<path> == true`.
        case isTrue([String], Bool)
        /// `<path> < n`.
        case isBelow([String], Int64)
        /// `ANY others.owner == $user.id`.
        case anyOther
        case both(Rule, Rule)
        case either(Rule, Rule)

        var text: String {
            switch self {
            case .always: "TRUEPREDICATE"
            case .isUser(let path): "\(path.joined(separator: ".")) == $user.id"
            case .isTrue(let path, let value): "\(path.joined(separator: ".")) == \(value)"
            case .isBelow(let path, let number): "\(path.joined(separator: ".")) < \(number)"
            case .anyOther: "ANY others.owner == $user.id"
            case .both(let a, let b): "(\(a.text)) AND (\(b.text))"
            case .either(let a, let b): "(\(a.text)) OR (\(b.text))"
            }
        }
    }

    /// What a role lets do with the objects of a class; nil for nothing.
    struct Rules {
        var read: Rule?
        var create: Rule?
        var before: Rule?
        var after: Rule?
        var delete: Rule?
        var rights: [String: PropertyRight] = [:]
    }

    static let user = "ann"
    static let schema = """
        {"classes":[
          {"name":"List","primaryKey":"id","properties":{"id":"int","owner":"string?","open":"bool","rank":"int",
            "next":"List","others":"List[]","vault":"Secret{}","box":"Box","boxes":"Box[]"}},
          {"name":"Task","primaryKey":"id","properties":{"id":"int","list":"List","done":"bool","text":"string?"}},
          {"name":"Mail","kind":"asymmetric","primaryKey":"id","properties":{"id":"int","list":"List","done":"bool",
            "text":"string?","others":"List[]"}},
          {"name":"Secret","primaryKey":"id","properties":{"id":"int"}},
          {"name":"Box","kind":"embedded","properties":{"label":"string?","vault":"Secret{}"}},
          {"name":"Person","primaryKey":"id","properties":{"id":"string","on":"bool"}}
        ]}
        """

    /// The access document.
    private(set) var document = ""
    /// Whether the user's object says that she is on.
    var isOn = true
    /// The active roles, and the roles that are active while she is on.
    private var held: [(rules: [String: Rules], needsOn: Bool)] = []
    private var roles: [[String: Rules]] {
        held.compactMap { $0.needsOn && !isOn ? nil : $0.rules }
    }
    private var random: SeededGenerator

    // MARK: The schema

    /// The properties of a class beside its key.
    static func properties(_ className: String) -> [String] {
        switch className {
        case "List": ["owner", "open", "rank", "next", "others", "vault", "box", "boxes"]
        case "Secret": []
        case "Mail": ["list", "done", "text", "others"]
        default: ["list", "done", "text"]
        }
    }

    /// The class that a property links to.
    static func target(of name: String, _ className: String) -> String? {
        name == "vault" ? "Secret" : ["next", "others", "list"].contains(name) ? "List" : nil
    }

    /// What a property is as long as it is not stated.
    static func initial(_ name: String, _ className: String) -> QueryJSON {
        switch name {
        case "open", "done": .bool(false)
        case "rank": .int(0)
        default: nothing(name, className)
        }
    }

    /// What is shown of a property that is hidden.
    static func nothing(_ name: String, _ className: String) -> QueryJSON {
        switch name {
        case "others", "boxes": .array([])
        case "vault": .object([:])
        default: .null
        }
    }

    // MARK: A document

    /// Makes a document.
    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        var texts: [String] = []
        for index in 0..<pick([1, 2, 2, 3]) {
            let (holds, needsOn) = (chance(85), chance(35))
            var role: [String: Rules] = [:]
            for name in ["List", "Task", "Mail"] where chance(92) { role[name] = rules(name) }
            if chance(35) { role["Secret"] = secretRules() }
            let classes = role.sorted { $0.key < $1.key }.map {
                "\(quoted($0.key)):\(Self.text($0.value))"
            }
            texts.append(
                "\"r\(index)\":{"
                    + (holds
                        ? needsOn ? "\"when\":\"$user.object.on == true\"," : ""
                        : "\"when\":\"$user.id == 'bob'\",")
                    + "\"classes\":{\(classes.joined(separator: ","))}}")
            if holds { held.append((role, needsOn)) }
        }
        document = "{\"users\":\"Person\",\"roles\":{\(texts.joined(separator: ","))}}"
    }

    private mutating func rules(_ name: String) -> Rules {
        var rules = Rules()
        if chance(90) { rules.read = rule(name, 2) }
        if chance(65) { rules.create = rule(name, 1) }
        if chance(75) {
            rules.before = rule(name, 1)
            rules.after = chance(50) ? rules.before : rule(name, 1)
        }
        if chance(55) { rules.delete = rule(name, 1) }
        for property in Self.properties(name) where chance(25) {
            rules.rights[property] = pick([PropertyRight.none, PropertyRight.none, .read, .create])
        }
        return rules
    }

    /// Rules that make secrets known, and let all, some or no secrets be read.
    private mutating func secretRules() -> Rules {
        var rules = Rules()
        if chance(70) { rules.read = pick([.always, .isBelow(["id"], 3)]) }
        if rules.read == nil || chance(30) { rules.create = .always }
        return rules
    }

    private mutating func rule(_ name: String, _ depth: Int) -> Rule {
        if depth > 0, chance(35) {
            let (a, b) = (rule(name, depth - 1), rule(name, depth - 1))
            return chance(70) ? .either(a, b) : .both(a, b)
        }
        let number = Int64.random(in: 0...4, using: &random)
        return name == "List"
            ? pick([
                .always, .isUser(["owner"]), .isUser(["owner"]), .isUser(["next", "owner"]),
                .isTrue(["open"], true), .isTrue(["open"], false), .isBelow(["rank"], number),
                .isBelow(["next", "rank"], number), .anyOther,
            ])
            : pick([
                .always, .isUser(["list", "owner"]), .isUser(["list", "owner"]),
                .isTrue(["done"], false), .isTrue(["list", "open"], true),
                .isBelow(["list", "rank"], number), .isUser(["list", "next", "owner"]),
                name == "Mail" ? .anyOther : .isTrue(["done"], true),
            ])
    }

    private static func text(_ rules: Rules) -> String {
        var members: [String] = []
        func add(_ name: String, _ rule: Rule?) {
            if let rule { members.append("\"\(name)\":\(quoted(rule.text))") }
        }
        add("read", rules.read)
        add("create", rules.create)
        if let before = rules.before, let after = rules.after {
            members.append(
                "\"update\":{\"before\":\(quoted(before.text)),\"after\":\(quoted(after.text))}")
        }
        add("delete", rules.delete)
        let rights = rules.rights.sorted { $0.key < $1.key }
            .map { "\"\($0.key)\":\"\($0.value.rawValue)\"" }
        if !rights.isEmpty {
            members.append("\"properties\":{\(rights.joined(separator: ","))}")
        }
        return "{\(members.joined(separator: ","))}"
    }

    // MARK: What it lets

    /// Whether a condition holds for an object.
    func holds(
        _ rule: Rule, _ object: WriteModel.Object, in world: WriteModel.World
    ) -> Bool {
        func value(_ path: [String]) -> QueryJSON {
            var value: QueryJSON = .object(object)
            for (index, name) in path.enumerated() {
                value = value[name] ?? .null
                guard index < path.count - 1 else { break }
                guard let id = value.int,
                    let next = world[WriteModel.Key(className: "List", id: id)]
                else { return .null }
                value = .object(next)
            }
            return value
        }
        switch rule {
        case .always: return true
        case .isUser(let path): return value(path) == .string(Self.user)
        case .isTrue(let path, let truth): return value(path) == .bool(truth)
        case .isBelow(let path, let number): return value(path).int.map { $0 < number } ?? false
        case .anyOther:
            return value(["others"]).elements.contains { link in
                link.int.flatMap { world[WriteModel.Key(className: "List", id: $0)] }?["owner"]
                    == .string(Self.user)
            }
        case .both(let a, let b): return holds(a, object, in: world) && holds(b, object, in: world)
        case .either(let a, let b):
            return holds(a, object, in: world) || holds(b, object, in: world)
        }
    }

    /// Whether the user sees an object of a world.
    func shows(
        _ key: WriteModel.Key, _ object: WriteModel.Object, in world: WriteModel.World
    ) -> Bool {
        right(key.className) { $0.read.map { holds($0, object, in: world) } ?? false } != nil
    }

    /// The properties that are hidden on an object that is seen.
    func hidden(
        _ key: WriteModel.Key, _ object: WriteModel.Object, in world: WriteModel.World
    ) -> Set<String> {
        let right = right(key.className) {
            $0.read.map { holds($0, object, in: world) } ?? false
        }
        return Set(
            Self.properties(key.className).filter {
                (right?($0) ?? PropertyRight.none) == PropertyRight.none
            })
    }

    /// The widest right of a property in the roles that admit something of a class; nil where none does.
    func right(
        _ className: String, _ admits: (Rules) -> Bool
    ) -> ((String) -> PropertyRight)? {
        let admitting = roles.compactMap { $0[className] }.filter(admits)
        if admitting.isEmpty { return nil }
        return { name in admitting.map { $0.rights[name] ?? .write }.max() ?? .none }
    }

    /// Whether objects of a class may be created at all.
    func mayCreate(_ className: String) -> Bool {
        roles.contains { $0[className]?.create != nil }
    }

    /// Whether a class is known by name.
    func knows(_ className: String) -> Bool {
        right(className) { $0.read != nil || $0.create != nil } != nil
    }

    /// Whether a property of a class is.
    func knows(_ name: String, of className: String) -> Bool {
        guard Self.properties(className).contains(name) else { return false }
        let right = right(className) { $0.read != nil || $0.create != nil }
        if let target = Self.target(of: name, className), !knows(target) { return false }
        return right.map { $0(name) != .none } ?? false
    }

    // MARK: Chance

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: values.indices, using: &random)]
    }
}
