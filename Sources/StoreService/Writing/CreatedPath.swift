import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// The names that lead to something that a write has created.
package struct CreatedPath: Sendable, Equatable {
    /// The key of an object.
    package enum Key: Sendable, Equatable {
        case null
        /// A whole number, or the object key where the class has no primary key.
        case number(String)
        /// A string, or the text of another key.
        case text(String)
    }

    /// An element of a property.
    package struct Element: Sendable, Equatable {
        package var property: String
        package var place: Place
    }

    /// The way from a property to an element.
    package enum Place: Sendable, Equatable {
        /// A position in a list.
        case position(Int)
        /// The key of a map's entry.
        case key([UInt8])
        /// The steps into a `mixed` value.
        case steps([[UInt8]])
    }

    package var className: String
    /// The projection that shows the object at its path; nil if its class does.
    package var projection: String?
    package var key: Key
    /// The element; nil for the object itself.
    package var element: Element?

    package init(className: String, key: Key) {
        self.className = className
        self.key = key
        projection = nil
    }

    /// Names an object that was written.
    init(_ rowClass: RowClass, _ row: RowView, key: UInt64) {
        className = rowClass.definition.name
        projection = nil
        guard let member = rowClass.primaryKeyIndex else {
            self.key = .number("\(key)")
            return
        }
        let field = rowClass.field(member, in: row)
        if field.isNull {
            self.key = .null
            return
        }
        switch rowClass.members[member].storage.element {
        case .string: self.key = .text(String(decoding: field.heap, as: UTF8.self))
        case .int: self.key = .number("\(field.slot.storedInt)")
        case .objectID: self.key = .text("\(field.slot.storedObjectID)")
        case .uuid: self.key = .text("\(field.slot.storedUUID)")
        case .bool, .float, .double, .decimal, .data, .date, .link, .embedded, .mixed:
            self.key = .null
        }
    }

    /// Names an element that was added; nil for one of a set, which has no name.
    ///
    /// - `position`: That in a list, which the target may not have.
    init?(_ target: ElementTarget, _ row: RowView, key: UInt64, position: Int?) {
        if target.storage.shape == .set { return nil }
        self.init(target.rowClass, row, key: key)
        let place: Place
        if let steps = target.inner {
            var way: [[UInt8]] = []
            switch target.element {
            case .end?, nil: break
            case .index(let index)?: way.append(Array("\(index)".utf8))
            case .key(let key)?: way.append(key)
            }
            way += steps
            if let position { way.append(Array("\(position)".utf8)) }
            place = .steps(way)
        } else if case .key(let key)? = target.element {
            place = .key(key)
        } else {
            place = .position(position ?? 0)
        }
        element = Element(property: target.property.name, place: place)
    }
}
