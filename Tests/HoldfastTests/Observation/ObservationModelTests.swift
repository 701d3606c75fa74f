import Foundation
import Holdfast
import HoldfastTestSupport
import Testing

@Suite("Observers, against a model")
struct ObservationModelTests {
    /// Random writes on some objects.
    private struct Writer {
        var generator: SeededGenerator
        let realm: Realm
        let idCount = 24

        mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

        mutating func item() -> ObservedItem? {
            realm.object(ofType: ObservedItem.self, forPrimaryKey: number(idCount))
        }

        /// Does one operation inside a write.
        mutating func change() {
            guard let item = item() else {
                realm.create(
                    ObservedItem.self,
                    value: ["id": number(idCount), "name": "n\(number(5))", "rank": number(9)],
                    update: .modified)
                return
            }
            switch number(14) {
            case 0: realm.delete(item)
            case 1, 2: item.name = "n\(number(5))"
            case 3, 4, 5: item.rank = number(4) == 0 ? nil : number(9)
            case 6: item.next = number(3) == 0 ? nil : self.item()
            case 7: if let other = self.item() { item.members.append(other) }
            case 8: if !item.members.isEmpty { item.members.remove(at: number(item.members.count)) }
            case 9: item.numbers.insert(number(4), at: number(item.numbers.count + 1))
            case 10:
                if !item.numbers.isEmpty { item.numbers[number(item.numbers.count)] = number(4) }
            case 11: if item.numbers.count > 3 { item.numbers.removeSubrange(1..<3) }
            case 12: item.marks["k\(number(4))"] = number(3) == 0 ? nil : number(3)
            default:
                if item.members.count > 1 {
                    item.members.move(
                        from: number(item.members.count), to: number(item.members.count))
                }
            }
        }
    }

    /// The observers of one realm, and what is wrong with what they were told.
    private final class Observers {
        var faults: [String] = []
        private var tokens: [NotificationToken] = []
        private var results: [String: KeptCopy<String>] = [:]
        private var numbers: [Int: KeptCopy<Int>] = [:]
        /// The values of each object, as its observer knows them.
        private var values: [Int: [String: String]] = [:]
        private var observed: Set<Int> = []
        private(set) var callCount = 0

        private func follow<C: RealmCollection>(_ name: String, _ collection: C)
        where C.Element == ObservedItem {
            results[name] = KeptCopy()
            tokens.append(
                collection.observe { [unowned self] change in
                    callCount += 1
                    if let fault = results[name]?.apply(change, { $0.text() }) {
                        faults.append("\(name): \(fault)")
                    }
                })
        }

        init(_ realm: Realm) {
            let items = realm.objects(ObservedItem.self)
            follow("all", items)
            follow("filtered", items.filter("rank > 3"))
            follow("sorted", items.sorted(byKeyPath: "rank", ascending: false))
            follow("sorted twice", items.sorted(byKeyPath: "name").sorted(byKeyPath: "rank"))
            follow("behind links", items.filter("next.rank >= 2").sorted(byKeyPath: "next.name"))
            follow("counted", items.filter("members.@count > 1 OR numbers.@sum > 4"))
            follow("limited", items.filter("TRUEPREDICATE SORT(rank DESC) LIMIT(5)"))
            follow("distinct", items.distinct(by: ["name"]))
        }

        /// Observes objects and their lists that are not observed yet.
        func observe(_ realm: Realm) {
            for item in realm.objects(ObservedItem.self) where observed.insert(item.id).inserted {
                let id = item.id
                values[id] = Self.values(item)
                numbers[id] = KeptCopy()
                tokens.append(
                    item.numbers.observe { [unowned self] change in
                        if let fault = numbers[id]?.apply(change, mayModifySame: true, { $0 }) {
                            faults.append("numbers of \(id): \(fault)")
                        }
                    })
                tokens.append(
                    item.observe(keyPaths: ["*"]) { [unowned self] change in
                        take(change, id)
                    })
            }
        }

        private static func values(_ item: ObservedItem) -> [String: String] {
            [
                "name": item.name, "rank": item.rank.map { "\($0)" } ?? "nil",
                "next": item.next.map { "\($0.id)" } ?? "nil",
            ]
        }

        private func take(_ change: ObjectChange<ObservedItem>, _ id: Int) {
            guard case .change(let item, let properties) = change else {
                if case .error(let error) = change { faults.append("\(error)") }
                observed.remove(id)
                return
            }
            let present = Self.values(item)
            for property in properties {
                guard let known = values[id]?[property.name] else { continue }
                if property.name != "next" {
                    let old = property.oldValue.map { "\($0)" } ?? "nil"
                    if old != known {
                        faults.append("\(id).\(property.name): \(old), not \(known)")
                    }
                    if known == present[property.name] {
                        faults.append("\(id).\(property.name) is the same")
                    }
                }
                values[id]?[property.name] = present[property.name]
            }
            if values[id] != present {
                faults.append("\(id): \(present), not \(values[id] ?? [:])")
            }
        }
    }

    @Test(
        "keep lists by the indices alone that equal their queries, and old values that equal the model's"
    )
    func writes() throws {
        let seed = SeededGenerator.testSeed("observers")
        let name = "observers-model"
        let types: [ObjectBase.Type] = [ObservedItem.self]
        let realm = try Realm.ofSample(name, types)
        let observers = Observers(realm)
        realm.refresh()
        var writer = Writer(generator: SeededGenerator(seed: seed), realm: realm)
        for step in 0..<SeededGenerator.scaled(500) {
            if writer.number(4) == 0 {
                let (seed, count) = (writer.generator.next(), 1 + writer.number(3))
                try inAnotherThread {
                    let realm = try Realm.ofSample(name, types)
                    var writer = Writer(generator: SeededGenerator(seed: seed), realm: realm)
                    for _ in 0..<count {
                        try realm.write { for _ in 0..<3 { writer.change() } }
                    }
                }
                if writer.number(2) == 0 { realm.refresh() }
            } else {
                realm.beginWrite()
                for _ in 0..<(1 + writer.number(6)) { writer.change() }
                if writer.number(8) == 0 { realm.cancelWrite() } else { try realm.commitWrite() }
            }
            observers.observe(realm)
            #expect(observers.faults == [], "at step \(step)")
            if !observers.faults.isEmpty { break }
        }
        #expect(observers.callCount > 500)
    }
}
