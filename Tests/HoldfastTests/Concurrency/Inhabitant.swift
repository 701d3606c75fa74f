import Holdfast
import HoldfastTestSupport

/// One of those who live on a store at once: it writes, freezes, hands on and observes at random.
///
/// Where its realm belongs alone uses it.
final class Inhabitant {
    static let idCount = 24
    static let sum = 100 * idCount

    let realm: Realm
    private let exchange: Exchange
    private var random: SeededGenerator
    private let queries: Range<Int>
    private var observers: ItemObservers

    /// - `queries`: Which queries it observes.
    init(_ realm: Realm, _ queries: Range<Int>, _ exchange: Exchange, seed: UInt64) {
        self.realm = realm
        self.exchange = exchange
        self.queries = queries
        random = SeededGenerator(seed: seed)
        observers = ItemObservers(realm, queries, exchange)
    }

    func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private func item() -> ObservedItem? {
        realm.object(ofType: ObservedItem.self, forPrimaryKey: number(Self.idCount))
    }

    private var items: Results<ObservedItem> {
        realm.objects(ObservedItem.self).sorted(byKeyPath: "id")
    }

    private static func texts(_ items: Results<ObservedItem>) -> [String] {
        items.map { $0.text(1) }
    }

    /// Does one thing.
    func step() throws {
        exchange.require(items.sum(of: \.years) == Self.sum, "the realm's version")
        switch number(10) {
        case 0...4: try write()
        case 5: exchange.put((items.freeze(), Self.texts(items)))
        case 6:
            for (items, texts) in exchange.frozen {
                exchange.require(
                    items.isFrozen && Self.texts(items) == texts, "a frozen version")
            }
        case 7: if let item = item() { exchange.put(ThreadSafeReference(to: item)) }
        case 8:
            guard let reference = exchange.takeReference() else { break }
            // It may have been deleted meanwhile.
            guard let item = realm.resolve(reference) else { break }
            let same = realm.object(ofType: ObservedItem.self, forPrimaryKey: item.id)
            exchange.require(item.realm == realm && item == same, "a reference")
        default:
            guard let (frozen, texts) = exchange.frozen.randomElement(using: &random) else { break }
            let thawed = frozen.thaw()
            exchange.require(
                thawed?.isFrozen == false && thawed?.sum(of: \.years) == Self.sum, "thawed")
            exchange.require(Self.texts(frozen) == texts, "a thawed version")
        }
        if number(4) == 0 { realm.refresh() }
        if number(200) == 0 {
            realm.invalidate()
            observers = ItemObservers(realm, queries, exchange)
        }
        observers.observe(realm)
    }

    private func write() throws {
        let fails = number(5) == 0
        do {
            try realm.write {
                change()
                if fails {
                    item()?.years -= 1
                    throw Abandoned()
                }
                exchange.require(items.sum(of: \.years) == Self.sum, "a write's own view")
            }
        } catch is Abandoned {}
    }

    private struct Abandoned: Error {}

    /// Changes some items inside a write.
    func change() { for _ in 0...number(4) { changeOne() } }

    private func changeOne() {
        guard let item = item() else {
            realm.create(
                ObservedItem.self,
                value: ["id": number(Self.idCount), "name": "n\(number(5))", "rank": number(9)],
                update: .modified)
            return
        }
        switch number(16) {
        case 0:
            guard let heir = self.item(), heir != item else { return }
            heir.years += item.years
            realm.delete(item)
        case 1, 2: item.name = "n\(number(5))"
        case 3, 4, 5: item.rank = number(4) == 0 ? nil : number(9)
        case 6: item.next = number(3) == 0 ? nil : self.item()
        case 7: if item.members.count < 2, let other = self.item() { item.members.append(other) }
        case 8: if !item.members.isEmpty { item.members.remove(at: number(item.members.count)) }
        case 9: item.numbers.insert(number(4), at: number(item.numbers.count + 1))
        case 10: if !item.numbers.isEmpty { item.numbers[number(item.numbers.count)] = number(4) }
        case 11: if item.numbers.count > 3 { item.numbers.removeSubrange(1..<3) }
        case 12: item.marks["k\(number(4))"] = number(3) == 0 ? nil : number(3)
        case 13:
            if item.members.count > 1 {
                item.members.move(from: number(item.members.count), to: number(item.members.count))
            }
        default:
            let years = number(9)
            item.years -= years
            (self.item() ?? item).years += years
        }
    }
}
