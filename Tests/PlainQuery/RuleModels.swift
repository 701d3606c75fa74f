import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastTestSupport

/// Random contents and a random access document for two stores: one with everything, and one with what a user may read, whose schema
/// has no name that the user does not know.
package struct RuleModels {
    /// The schema of the first store.
    package internal(set) var classes: [ObjectClass]
    /// The projections of the first store.
    package private(set) var projections: [Projection] = []
    /// The schema of the second store.
    package private(set) var knownClasses: [ObjectClass] = []
    /// The projections of the second store.
    package private(set) var knownProjections: [Projection] = []
    /// The access document.
    package private(set) var document = ""
    /// The id of the user; nil for nobody.
    package let user: String?
    /// What is claimed of the user, as JSON.
    package var claims: String {
        "{" + claimed.map { "\(Self.quoted($0.name)):\($0.json)" }.joined(separator: ",") + "}"
    }
    /// The properties, also of projections, that may be left out of an object.
    package private(set) var hidden: Set<String> = []
    /// The keys of the objects of both stores, and of the first, by class.
    package var objects: [String: [Value]] { twins.objects }
    package var allObjects: [String: [Value]] { twins.allObjects }

    var twins: VisibilityModels
    var random: SeededGenerator
    var claimed: [(name: String, json: String)] = []
    var claimCount = 0
    var level: Int?
    var groups: [String]?
    private var makers: [PlainQueryMaker] = []
    /// Whether whoever reads an object may change it too.
    private let isWritten: Bool

    /// A rule as a text, and what it says of the user; nil where they lack what it names.
    struct RuleText {
        var text: String
        var predicate: PlainPredicate?
    }

    /// Makes a schema, projections and a user.
    ///
    /// - `isWritten`: Whether the user may write what they read, and properties have delete rules or are unique.
    package init(seed: UInt64, isWritten: Bool = false) {
        self.isWritten = isWritten
        twins = VisibilityModels(seed: seed, embedsMaps: true)
        classes = twins.classes
        random = SeededGenerator(seed: seed &+ 7)
        user =
            Int.random(in: 0..<8, using: &random) == 0
            ? nil : "\(Int.random(in: -2...12, using: &random))"
        if chance(60) {
            level = pick([1, 2])
            claimed.append(("level", "\(level ?? 0)"))
        }
        if chance(60) {
            groups = pick([["x"], ["y", "x"], ["y"], []])
            let list = (groups ?? []).map(Self.quoted).joined(separator: ",")
            claimed.append(("groups", "[\(list)]"))
        }
        makeProjections()
    }

    /// Fills the two stores, whose schema is ``classes``, and makes the document.
    package mutating func fill(_ whole: Store, _ part: Store) throws {
        var own = self
        var everywhere: [String: Set<String>] = [:]
        var unknown: Set<String> = []
        var twins = twins
        try twins.fill(whole, part) { world, view, _ in
            own.makeRules(world, view, &everywhere, &unknown)
        }
        self = own
        self.twins = twins
        hidden.formUnion(twins.hidden)
        hidden.formUnion(projections.flatMap { $0.properties.map(\.name) })
        // Only now, as the copy is cut without delete rules.
        if isWritten { try constrain(whole) }
        knownClasses = Self.removing(unknown, everywhere, from: classes)
        knownProjections = projections
        while true {
            let schema = Schema(classes: knownClasses)
            let faults = Set(
                Projection.faults(of: knownProjections, in: schema).map(\.projection))
            if faults.isEmpty { break }
            knownProjections.removeAll { faults.contains($0.name) }
        }
        let before = try part.reading { try PlainWorld($0) }
        _ = try part.setSchema(knownClasses, allowsDataLoss: true)
        let after = try part.reading { try PlainWorld($0) }
        makers = [before, after].map { PlainQueryMaker($0, seed: random.next()) }
    }

    /// A random query, as text with arguments; now and then of what the user does not know, or with a fault.
    package mutating func query() -> (className: String, text: String, arguments: [QueryArgument]) {
        let index = chance(12) ? 0 : 1
        let faulty = chance(4) ? makers[index].makeFaulty() : nil
        let query = faulty ?? makers[index].make()
        var printer = PlainPrinter()
        let text = printer.text(query)
        return (query.className, text, printer.arguments)
    }

    // MARK: Rules

    private mutating func makeRules(
        _ world: PlainWorld, _ view: StoreView, _ everywhere: inout [String: Set<String>],
        _ unknown: inout Set<String>
    ) -> PlainVisibility {
        var maker = PlainQueryMaker(world, seed: random.next())
        var visibilities: [String: [PlainVisibility.Role]] = [:]
        var always: [String: Set<String>] = [:]
        for name in PlainSchema.objectNames {
            visibilities[name] = []
            unknown.insert(name)
            let definition = world.classes[name]
            always[name] = Set(
                (definition?.properties ?? []).map(\.name).filter {
                    $0 != definition?.primaryKey && chance(12)
                })
        }
        var roles: [String] = []
        for index in 0..<pick([2, 2, 3]) {
            let isForAnyone = chance(30)
            let (when, isHeld) = condition()
            let holds = isHeld && (user != nil || isForAnyone)
            var entries: [String] = []
            // What the role allows of classes that have no entry of their own.
            let others = chance(20) ? ruleForAll() : nil
            for name in PlainSchema.objectNames {
                let isOwn = chance(others == nil ? 90 : 60)
                guard isOwn || others != nil else { continue }
                let rule =
                    isOwn ? chance(35) ? nil : rule(name, world, view, &maker) : others
                var role = PlainVisibility.Role(rule: rule?.predicate)
                for property in isOwn ? world.classes[name]?.properties ?? [] : []
                where chance(15) && Self.canBeNull(property)
                    && property.name != world.classes[name]?.primaryKey
                {
                    role.hidden.insert(property.name)
                }
                let hides = isOwn ? role.hidden.union(always[name] ?? []) : []
                let rights = hides.sorted().map { "\(Self.quoted($0)):\"none\"" }
                    .joined(separator: ",")
                let isShown =
                    holds && (rule == nil || rule?.predicate != nil)
                    && !Self.isFalse(role.rule, name, view)
                let read = rule.map { Self.quoted($0.text) } ?? "true"
                // Who may make objects knows their class.
                let create = isShown && chance(80) ? "true" : read
                if isOwn {
                    entries.append(
                        "\(Self.quoted(name)):{\"read\":\(read)\(writeRights(create: create))"
                            + (hides.isEmpty ? "" : ",\"properties\":{\(rights)}") + "}")
                }
                guard isShown else { continue }
                if unknown.remove(name) != nil {
                    everywhere[name] = hides
                } else {
                    everywhere[name]?.formIntersection(hides)
                }
                role.hidden = hides
                visibilities[name]?.append(role)
            }
            if let others {
                let read = Self.quoted(others.text)
                entries.append("\"*\":{\"read\":\(read)\(writeRights(create: read))}")
            }
            roles.append(
                "\"r\(index)\":{" + (isForAnyone ? "\"for\":\"anyone\"," : "")
                    + (when.map { "\"when\":\(Self.quoted($0))," } ?? "")
                    + "\"classes\":{\(entries.joined(separator: ","))}}")
        }
        document = "{\"users\":\"A\",\"roles\":{\(roles.joined(separator: ","))}}"
        for (name, roles) in visibilities {
            hidden.formUnion(roles.flatMap(\.hidden))
            // What is hidden everywhere goes with the schema.
            visibilities[name] = roles.map { role in
                var role = role
                role.hidden.subtract(everywhere[name] ?? [])
                return role
            }
        }
        return PlainVisibility(visibilities)
    }

    private func writeRights(create: String) -> String {
        isWritten ? ",\"create\":\(create),\"update\":true,\"delete\":true" : ""
    }

    /// A rule that any class can have.
    private mutating func ruleForAll() -> RuleText {
        chance(50)
            ? RuleText(text: "TRUEPREDICATE", predicate: .constant(true)) : levelIsOne
    }

    /// A condition of a role, and whether it holds.
    private mutating func condition() -> (text: String?, holds: Bool) {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: ("$user.level == 1", user != nil && level == 1)
        case 1: ("'x' IN $user.groups", user != nil && groups?.contains("x") ?? false)
        case 2: ("$user.lacking == 1 OR $user.level == 1", false)
        default: (nil, true)
        }
    }

    private mutating func rule(
        _ name: String, _ world: PlainWorld, _ view: StoreView, _ maker: inout PlainQueryMaker
    ) -> RuleText {
        let own = chance(60) ? ofUser(name, world, view) : nil
        var plain: RuleText?
        for _ in 0..<10 where plain == nil {
            let predicate = maker.predicate(name, pick([0, 0, 1]))
            var printer = PlainPrinter()
            let text = printer.text(PlainQuery(className: name, predicate: predicate))
            guard printer.arguments.isEmpty,
                PlainVisibility.compile(predicate, name, view) != nil
            else { continue }
            plain = RuleText(text: text, predicate: predicate)
        }
        guard let own else {
            return plain ?? RuleText(text: "TRUEPREDICATE", predicate: .constant(true))
        }
        guard let plain, let right = plain.predicate, chance(60) else { return own }
        let isOr = chance(50)
        return RuleText(
            text: "(\(own.text)) \(isOr ? "OR" : "AND") (\(plain.text))",
            predicate: own.predicate.map { isOr ? .or([$0, right]) : .and([$0, right]) })
    }

    private static func canBeNull(_ property: Property) -> Bool {
        if case .linkingObjects = property.type { return false }
        return property.isOptional || property.type.isCollection || property.scalar == .mixed
    }

    /// Whether a rule holds for no object whatever it has.
    private static func isFalse(
        _ rule: PlainPredicate?, _ name: String, _ view: StoreView
    ) -> Bool {
        guard let rule, let compiled = PlainVisibility.compile(rule, name, view) else {
            return false
        }
        return compiled.simplified == .constant(false)
    }

    // MARK: Names

    private mutating func makeProjections() {
        for index in 0..<pick([0, 1, 2, 3]) {
            let base = pick(["A", "A", "B", "C", "E"])
            guard let definition = classes.first(where: { $0.name == base }) else { continue }
            var made = Projection(name: "Shown\(index)", className: base, properties: [])
            for number in 0..<pick([1, 2, 3]) {
                guard let first = definition.properties.randomElement(using: &random) else {
                    continue
                }
                var path = [first.name]
                var last = first
                while path.count < 4, case .object(let name)? = last.type.element, chance(60),
                    let target = classes.first(where: { $0.name == name }),
                    let next = target.properties.randomElement(using: &random)
                {
                    path.append(next.name)
                    last = next
                }
                if last.type.isCollection, chance(50) { path.append("@count") }
                let property = Projection.Property(name: "p\(index)\(number)", path: path)
                var tried = made
                tried.properties.append(property)
                let faults = Projection.faults(
                    of: projections + [tried], in: Schema(classes: classes))
                if faults.isEmpty { made = tried }
            }
            if !made.properties.isEmpty { projections.append(made) }
        }
    }

    // MARK: Chance

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: values.indices, using: &random)]
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let digits = Array("0123456789abcdef")
                result += "\\u00\(digits[Int(scalar.value >> 4)])\(digits[Int(scalar.value & 15)])"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
