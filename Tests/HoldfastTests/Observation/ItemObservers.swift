import Holdfast

/// The observers of one realm: their lists, kept by the reported indices alone, and the values of objects as they know them.
final class ItemObservers {
    private typealias Items = Results<ObservedItem>

    private static let queries: [(name: String, of: @Sendable (Items) -> Items)] = [
        ("all", { $0 }),
        ("filtered", { $0.filter("rank > 3") }),
        ("sorted", { $0.sorted(byKeyPath: "rank", ascending: false) }),
        ("sorted twice", { $0.sorted(byKeyPath: "name").sorted(byKeyPath: "rank") }),
        ("behind links", { $0.filter("next.rank >= 2").sorted(byKeyPath: "next.name") }),
        ("counted", { $0.filter("members.@count > 1 OR numbers.@sum > 4") }),
        ("limited", { $0.filter("TRUEPREDICATE SORT(rank DESC) LIMIT(5)") }),
        ("distinct", { $0.distinct(by: ["name"]) }),
    ]

    private let exchange: Exchange
    private let parts: [Int]
    private var tokens: [NotificationToken] = []
    private var results: [String: KeptCopy<String>] = [:]
    private var numbers: [Int: KeptCopy<Int>] = [:]
    /// The values of each object, as its observer knows them.
    private var values: [Int: [String: String]] = [:]
    private var observed: Set<Int> = []

    /// Observes queries; the objects with ``observe(_:)``.
    ///
    /// - `parts`: Which of the eight queries, and which eighths of the objects.
    init(_ realm: Realm, _ parts: Range<Int>, _ exchange: Exchange) {
        self.exchange = exchange
        self.parts = parts.map { $0 % Self.queries.count }
        for part in self.parts {
            let (name, query) = Self.queries[part]
            results[name] = KeptCopy()
            tokens.append(
                query(realm.objects(ObservedItem.self)).observe { [unowned self] change in
                    exchange.noteCall()
                    if let fault = results[name]?.apply(change, { $0.text() }) {
                        fail("\(name): \(fault)")
                    }
                })
        }
    }

    private func fail(_ what: String) { exchange.require(false, what) }

    /// Observes objects and their lists that are not observed yet.
    func observe(_ realm: Realm) {
        for item in realm.objects(ObservedItem.self) {
            let id = item.id
            if !parts.contains(id % Self.queries.count) { continue }
            if !observed.insert(id).inserted { continue }
            values[id] = Self.values(item)
            numbers[id] = KeptCopy()
            tokens.append(
                item.numbers.observe { [unowned self] change in
                    if let fault = numbers[id]?.apply(change, mayModifySame: true, { $0 }) {
                        fail("numbers of \(id): \(fault)")
                    }
                })
            tokens.append(
                item.observe(keyPaths: ["*"]) { [unowned self] change in take(change, id) })
        }
    }

    private static func values(_ item: ObservedItem) -> [String: String] {
        [
            "name": item.name, "rank": item.rank.map { "\($0)" } ?? "nil",
            "next": item.next.map { "\($0.id)" } ?? "nil", "years": "\(item.years)",
        ]
    }

    private func take(_ change: ObjectChange<ObservedItem>, _ id: Int) {
        guard case .change(let item, let properties) = change else {
            if case .error(let error) = change { fail("\(error)") }
            observed.remove(id)
            return
        }
        let present = Self.values(item)
        for property in properties {
            guard let known = values[id]?[property.name] else { continue }
            if property.name != "next" {
                let old = property.oldValue.map { "\($0)" } ?? "nil"
                if old != known { fail("\(id).\(property.name): \(old), not \(known)") }
                if known == present[property.name] {
                    fail("\(id).\(property.name) is the same")
                }
            }
            values[id]?[property.name] = present[property.name]
        }
        if values[id] != present { fail("\(id): \(present), not \(values[id] ?? [:])") }
    }
}
