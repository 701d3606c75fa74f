import HoldfastObjectModel
import HoldfastPlainQuery
import HoldfastServiceSupport
import HoldfastTestSupport

// Changes of users' own objects that are made and reversed.
extension RuleWorld {
    /// The outcome of such a change.
    enum Toggled {
        /// Rules read nothing of the user's object, or it can't be changed.
        case not
        /// The number of pages of changes that report nothing of it, and of pages that tell the client to begin again.
        case same(pageCount: Int, undecidedCount: Int)
        case fault(String)
    }

    /// Changes a value that rules read of the user's object, and reverses the change. Meanwhile, objects are created and deleted that the user could
    /// see before and after, but not then: no page of changes may name one of them.
    mutating func toggleOwnObject(_ random: inout SeededGenerator) -> Toggled {
        guard let toggle = toggle(), let seen = seen() else { return .not }
        var pages = (0..<4).compactMap { _ in RuleChangePage(&self, &random) }
        guard send("PATCH", toggle.target, toggle.away) else { return .not }
        var maker = RuleChangeMaker(
            requests: RuleRequestMaker(twins: twins, random: random), seen: seen, keyCount: 9_000)
        var seenClasses: Set<String> = []
        // An object whose key the store makes would leave the next key different from that of the copy.
        let keyed = Set(twins.classes.filter { $0.primaryKey != nil }.map(\.name))
        for page in pages where keyed.contains(page.className) {
            let creation = maker.creation(page.className)
            let made = whole.send("POST", creation.target, creation.body)
            guard made.status == 201, let location = made.headers["location"] else { continue }
            if whole.get(location, as: asker).status == 200 {
                seenClasses.insert(page.className)
            }
            guard send("DELETE", location, nil) else { return .fault("\(location) stays") }
        }
        (twins, random) = (maker.requests.twins, maker.requests.random)
        guard send("PATCH", toggle.target, toggle.back) else { return .fault("\(toggle) stays") }
        var (pageCount, undecidedCount) = (0, 0)
        // Pages of classes with objects that the user saw meanwhile report these objects.
        for index in pages.indices where !seenClasses.contains(pages[index].className) {
            pageCount += 1
            switch pages[index].outcome(in: self) {
            case .same: break
            case .undecided: undecidedCount += 1
            case .fault(let fault): return .fault("\(toggle)\n  \(fault)")
            }
        }
        return .same(pageCount: pageCount, undecidedCount: undecidedCount)
    }

    private func send(_ method: String, _ target: String, _ body: String?) -> Bool {
        whole.send(method, target, body).status < 300
    }

    /// A property of the user's object that rules read, with another value and its present value.
    private func toggle() -> (target: String, away: String, back: String)? {
        guard let user = twins.user,
            let definition = twins.classes.first(where: { $0.name == "A" })
        else { return nil }
        let target = "/v1/classes/A/objects/\(user)"
        for property in definition.properties
        where property.name != definition.primaryKey && !property.isUnique
            && twins.document.contains("$user.object.\(property.name)")
        {
            let object = QueryJSON(whole.get(target, as: .admin).text)
            guard let value = object?[property.name], let other = Self.other(property, value)
            else { continue }
            func body(_ value: QueryJSON) -> String {
                QueryJSON.object([property.name: value]).text
            }
            return (target, body(other), body(value))
        }
        return nil
    }

    /// A value that differs from a property's value.
    private static func other(_ property: Property, _ value: QueryJSON) -> QueryJSON? {
        switch property.type {
        case .single(.scalar(let type)):
            switch type.widened {
            case .bool: return .bool(!(value.bool ?? false))
            case .int: return .int(value.int == 7 ? 8 : 7)
            case .string: return .string(value.string == "other" ? "another" : "other")
            default: return nil
            }
        case .single(.object): return value == .null ? nil : .null
        case .list(.scalar), .set(.scalar): return value.elements.isEmpty ? nil : .array([])
        default: return nil
        }
    }
}
