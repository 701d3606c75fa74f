import Foundation
import Holdfast

final class Item: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = ""
    @Persisted var number: Int?
    @Persisted var anything: AnyRealmValue
    @Persisted var link: Item?
    @Persisted var part: Part?
    @Persisted var numbers: List<Int>
    @Persisted var links: List<Item>
    @Persisted var parts: List<Part>
    @Persisted var tags: MutableSet<String>
    @Persisted var marks: Map<String, Int?>
    @Persisted var peers: Map<String, Item?>
    @Persisted(originProperty: "links") var origins: LinkingObjects<Item>
}

final class Part: EmbeddedObject {
    @Persisted var text = ""
    @Persisted var inner: Part?

    convenience init(_ text: String) {
        self.init()
        self.text = text
    }
}

/// What an ``Item`` has, as plain values; objects by their primary keys.
struct PlainItem: Equatable {
    var id: Int
    var name = ""
    var number: Int?
    var anything: Int?
    var link: Int?
    var part: PlainPart?
    var numbers: [Int] = []
    var links: [Int] = []
    var parts: [PlainPart] = []
    var tags: Set<String> = []
    var marks: [String: Int?] = [:]
    var peers: [String: Int?] = [:]

    init(id: Int) { self.id = id }

    /// Reads an object.
    init(_ item: Item) {
        id = item.id
        name = item.name
        number = item.number
        anything = item.anything.intValue
        link = item.link?.id
        part = item.part.map { PlainPart($0) }
        numbers = Array(item.numbers)
        links = item.links.map(\.id)
        parts = item.parts.map { PlainPart($0) }
        tags = Set(item.tags)
        for key in item.marks.keys { marks[key] = .some(item.marks[key] ?? nil) }
        for key in item.peers.keys { peers[key] = .some((item.peers[key] ?? nil)?.id) }
    }
}

/// What a ``Part`` has, as plain values.
struct PlainPart: Equatable {
    var text: String
    /// The texts of the parts within, from the outside.
    var inner: [String] = []

    init(_ text: String) { self.text = text }

    /// Reads an embedded object.
    init(_ part: Part) {
        text = part.text
        var next = part.inner
        while let present = next {
            inner.append(present.text)
            next = present.inner
        }
    }
}

/// The objects of a realm as plain values: what a random program's store has to show.
struct PlainStore: Equatable {
    private(set) var items: [Int: PlainItem] = [:]
    /// The primary keys in the order of creation.
    private(set) var order: [Int] = []

    subscript(id: Int) -> PlainItem {
        get { items[id] ?? PlainItem(id: id) }
        set {
            if items[id] == nil { order.append(id) }
            items[id] = newValue
        }
    }

    func has(_ id: Int) -> Bool { items[id] != nil }

    /// Deletes an object and the links to it.
    mutating func delete(_ id: Int) {
        items[id] = nil
        order.removeAll { $0 == id }
        for key in items.keys {
            guard var item = items[key] else { continue }
            if item.link == id { item.link = nil }
            item.links.removeAll { $0 == id }
            for (name, peer) in item.peers where peer == id {
                item.peers[name] = .some(nil)
            }
            items[key] = item
        }
    }

    /// The primary keys of those that list an object, once for each time.
    func origins(of id: Int) -> [Int] {
        order.flatMap { origin in
            Array(repeating: origin, count: self[origin].links.count { $0 == id })
        }
    }
}
