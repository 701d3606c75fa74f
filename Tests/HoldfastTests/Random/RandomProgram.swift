import Foundation
import Holdfast
import HoldfastTestSupport
import Testing

/// A program of random writes, reads, faults and rollbacks on a realm, compared with plain values as it goes.
struct RandomProgram {
    private struct Stopped: Error {}

    private(set) var realm: Realm
    private var generator: SeededGenerator
    var model = PlainStore()
    /// Objects that the program keeps, from whatever transaction: they have to show the present.
    private var kept: [Int: Item] = [:]

    init(_ realm: Realm, seed: UInt64) {
        self.realm = realm
        generator = SeededGenerator(seed: seed)
    }

    mutating func below(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &generator)
    }

    private mutating func text() -> String { String(UnicodeScalar(UInt8(97 + below(6)))) }

    private mutating func anyID() -> Int? { model.order.randomElement(using: &generator) }

    /// The object of a primary key: one that was kept, or one that is looked up.
    private mutating func item(_ id: Int) throws -> Item {
        if let item = kept[id], !item.isInvalidated, below(4) > 0 { return item }
        let item = try #require(realm.object(ofType: Item.self, forPrimaryKey: id))
        kept[id] = item
        return item
    }

    // MARK: Transactions

    /// Runs one transaction of some operations, which ends in one of the ways that there are, and compares.
    ///
    /// - Returns: The number of operations.
    mutating func runTransaction() throws -> Int {
        let before = model
        let count = 1 + below(8)
        switch below(10) {
        case 0:
            // The block throws.
            let realm = realm
            #expect(throws: Stopped.self) {
                try realm.write {
                    for _ in 0..<count { try operate() }
                    throw Stopped()
                }
            }
            model = before
        case 1:
            realm.beginWrite()
            for _ in 0..<count { try operate() }
            realm.cancelWrite()
            model = before
        case 2 where !before.order.isEmpty:
            // A value's fault among other operations: the write ends, and throws.
            realm.beginWrite()
            let place = below(count)
            for step in 0..<count {
                if step == place, let id = before.order.randomElement(using: &generator) {
                    // Deleted or not: one fault comes of two objects of one key.
                    realm.add([Item(value: ["id": id]), Item(value: ["id": id])])
                    break
                }
                try operate()
            }
            #expect(throws: ValueFault.self) { try realm.commitWrite() }
            model = before
        default:
            realm.beginWrite()
            for _ in 0..<count { try operate() }
            try realm.commitWrite()
        }
        if below(4) == 0 { realm.refresh() }
        if below(4) == 0 { try compare() }
        return count
    }

    // MARK: Operations

    private mutating func operate() throws {
        guard let id = anyID(), below(6) > 0 else { return try create() }
        let item = try item(id)
        switch below(14) {
        case 0: try delete(item)
        case 1: assign(item)
        case 2: editNumbers(item)
        case 3: try editLinks(item)
        case 4, 5: editParts(item)
        case 6: editTags(item)
        case 7: try editMaps(item)
        case 8: try link(item)
        case 9: editPart(item)
        case 10: try update(item)
        case 11: try query()
        case 12: assign(item, times: 6)
        default: try compare(item)
        }
    }

    private mutating func create() throws {
        let id = below(40)
        let name = text()
        if model.has(id) {
            realm.create(Item.self, value: ["id": id, "name": name], update: .modified)
            model[id].name = name
            return
        }
        let item = Item(value: ["id": id, "name": name, "numbers": [1, 2]])
        model[id].name = name
        model[id].numbers = [1, 2]
        let other = below(40)
        if below(3) == 0, !model.has(other) {
            // An unmanaged object comes along, and leads back.
            let partner = Item(value: ["id": other])
            partner.links.append(objectsIn: [item, item])
            item.link = partner
            model[id].link = other
            model[other].links = [id, id]
        }
        realm.add(item)
        kept[id] = item
    }

    private mutating func delete(_ item: Item) throws {
        let id = item.id
        realm.delete(item)
        #expect(item.isInvalidated)
        kept[id] = nil
        model.delete(id)
    }

    private mutating func assign(_ item: Item, times: Int = 1) {
        for _ in 0..<times {
            let number = below(5)
            switch below(4) {
            case 0:
                item.name = text()
                model[item.id].name = item.name
            case 1:
                item.number = number == 0 ? nil : number
                model[item.id].number = number == 0 ? nil : number
            case 2:
                item.number = (item.number ?? 0) + 1
                model[item.id].number = (model[item.id].number ?? 0) + 1
            default:
                item.anything = number == 0 ? .none : .int(number)
                model[item.id].anything = number == 0 ? nil : number
            }
        }
    }

    private mutating func editNumbers(_ item: Item) {
        let count = item.numbers.count
        #expect(count == model[item.id].numbers.count)
        let value = below(9)
        switch below(7) {
        case 0 where count > 0:
            let index = below(count)
            item.numbers.remove(at: index)
            model[item.id].numbers.remove(at: index)
        case 1 where count > 0:
            let index = below(count)
            item.numbers[index] = value
            model[item.id].numbers[index] = value
        case 2 where count > 1:
            let (from, to) = (below(count), below(count))
            item.numbers.move(from: from, to: to)
            let moved = model[item.id].numbers.remove(at: from)
            model[item.id].numbers.insert(moved, at: to)
        case 3 where count > 1:
            let (a, b) = (below(count), below(count))
            item.numbers.swapAt(a, b)
            model[item.id].numbers.swapAt(a, b)
        case 4:
            let index = below(count + 1)
            item.numbers.insert(value, at: index)
            model[item.id].numbers.insert(value, at: index)
        case 5 where count > 6:
            item.numbers.removeAll()
            model[item.id].numbers = []
        default:
            item.numbers.append(value)
            model[item.id].numbers.append(value)
        }
    }

    private mutating func editLinks(_ item: Item) throws {
        let count = item.links.count
        guard let other = anyID() else { return }
        switch below(5) {
        case 0 where count > 0:
            let index = below(count)
            item.links.remove(at: index)
            model[item.id].links.remove(at: index)
        case 1 where count > 0:
            let index = below(count)
            item.links[index] = try self.item(other)
            model[item.id].links[index] = other
        case 2:
            let list = [try self.item(other), item]
            item.links.replaceSubrange(0..<count, with: list)
            model[item.id].links = [other, item.id]
        default:
            let index = below(count + 1)
            item.links.insert(try self.item(other), at: index)
            model[item.id].links.insert(other, at: index)
        }
    }

    private mutating func editParts(_ item: Item) {
        let count = item.parts.count
        let text = text()
        switch below(5) {
        case 0 where count > 0:
            let index = below(count)
            item.parts.remove(at: index)
            model[item.id].parts.remove(at: index)
        case 1 where count > 0:
            let index = below(count)
            item.parts[index].text = text
            model[item.id].parts[index].text = text
        case 2 where count > 0:
            let index = below(count)
            item.parts[index].inner = below(3) == 0 ? nil : Part(text)
            model[item.id].parts[index].inner = item.parts[index].inner == nil ? [] : [text]
        default:
            let index = below(count + 1)
            item.parts.insert(Part(text), at: index)
            model[item.id].parts.insert(PlainPart(text), at: index)
        }
    }

    private mutating func editTags(_ item: Item) {
        let tag = text()
        switch below(5) {
        case 0:
            item.tags.remove(tag)
            model[item.id].tags.remove(tag)
        case 1 where item.tags.count > 4:
            item.tags.removeAll()
            model[item.id].tags = []
        default:
            item.tags.insert(tag)
            model[item.id].tags.insert(tag)
        }
        #expect(item.tags.contains(tag) == model[item.id].tags.contains(tag))
    }

    private mutating func editMaps(_ item: Item) throws {
        let key = text()
        switch below(5) {
        case 0:
            item.marks.removeObject(for: key)
            model[item.id].marks.removeValue(forKey: key)
        case 1:
            item.marks[key] = .some(nil)
            model[item.id].marks[key] = .some(nil)
        case 2:
            guard let other = anyID() else { return }
            item.peers[key] = try self.item(other)
            model[item.id].peers[key] = .some(other)
        case 3:
            item.peers.removeObject(for: key)
            model[item.id].peers.removeValue(forKey: key)
        default:
            let value = below(9)
            item.marks[key] = value
            model[item.id].marks[key] = .some(value)
        }
    }

    private mutating func link(_ item: Item) throws {
        let other = below(3) == 0 ? nil : anyID()
        item.link = try other.map { try self.item($0) }
        model[item.id].link = other
    }

    private mutating func editPart(_ item: Item) {
        let text = text()
        if let part = item.part, below(3) > 0 {
            if below(2) == 0 {
                part.text = text
                model[item.id].part?.text = text
            } else {
                part.inner = Part(text)
                model[item.id].part?.inner = [text]
            }
            return
        }
        let isKept = below(4) > 0
        item.part = isKept ? Part(text) : nil
        model[item.id].part = isKept ? PlainPart(text) : nil
    }

    private mutating func update(_ item: Item) throws {
        let number = below(9)
        let id = item.id
        realm.create(
            Item.self, value: ["id": id, "number": number, "numbers": [number]] as [String: Any],
            update: below(2) == 0 ? .modified : .all)
        model[id].number = number
        model[id].numbers = [number]
    }

    // MARK: Comparison

    private mutating func query() throws {
        let bound = below(6)
        let name = text()
        let results = realm.objects(Item.self)
        #expect(
            results.filter("number >= $0", bound).map(\.id)
                == model.order.filter { (model[$0].number ?? -1) >= bound })
        #expect(
            results.filter("name == $0", name).map(\.id).sorted()
                == model.order.filter { model[$0].name == name }.sorted())
        #expect(
            results.where { $0.tags.contains(name) }.count
                == model.order.count { model[$0].tags.contains(name) })
        #expect(
            results.sorted(byKeyPath: "name").map(\.name)
                == model.order.map { model[$0].name }.sorted())
    }

    private func compare(_ item: Item) throws {
        #expect(PlainItem(item) == model[item.id])
        #expect(item.origins.map(\.id).sorted() == model.origins(of: item.id).sorted())
    }

    /// Compares every object.
    func compare() throws {
        #expect(realm.objects(Item.self).map(\.id) == model.order)
        for item in realm.objects(Item.self) { try compare(item) }
        for (id, item) in kept where model.has(id) {
            // An object that was created in a transaction that was rolled back is gone for good.
            if !item.isInvalidated { #expect(PlainItem(item) == model[id]) }
        }
    }
}
