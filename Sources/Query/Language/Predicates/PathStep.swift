import HoldfastRows

/// One step of a path from an object to another: forward along a property, or backward along one.
package struct PathStep: Hashable, Sendable {
    /// The kind of a step.
    package enum Kind: Hashable, Sendable {
        /// Along a to-one link.
        case link
        case embedded
        /// Along each link of a list or set.
        case links
        /// Into each embedded object of a list.
        case embeddedList
        /// Along one link of a list or map.
        case linkAt(ListPosition)
        /// Into one embedded object of a list or map.
        case embeddedAt(ListPosition)
        /// Back to each object that links here.
        case inverse
        /// Back from an embedded object to the row that holds it in the property; to nothing from one that another
        /// property holds.
        case holder
        /// Along each link within the `mixed` values of a property. Only dependencies have it: where such
        /// links lead is known when the values are read.
        case mixedLinks
    }

    package var kind: Kind
    /// The class that it starts from, by position in the schema.
    package var fromClass: Int
    /// The class that it leads to.
    package var toClass: Int
    /// The property that holds the link: of `fromClass`, or of `toClass` for ``Kind/inverse`` and ``Kind/holder``.
    package var member: Int
    /// The inverse link of `fromClass` that the step follows, by position; −1 for other steps, as by `@links`. If rules hide it
    /// on an object, ``Kind/inverse`` leads nowhere. It is never hidden on embedded objects, which have no rules of their own.
    package var inverseLink: Int

    package init(kind: Kind, fromClass: Int, toClass: Int, member: Int, inverseLink: Int = -1) {
        self.kind = kind
        self.fromClass = fromClass
        self.toClass = toClass
        self.member = member
        self.inverseLink = inverseLink
    }

    /// Makes the step back along an inverse link that a class declares or that a query names.
    package init(
        backTo originClass: Int, _ member: Int, from rowClass: RowClass, by inverseLink: Int
    ) {
        self.init(
            kind: rowClass.definition.kind == .embedded ? .holder : .inverse,
            fromClass: rowClass.index, toClass: originClass, member: member,
            inverseLink: inverseLink)
    }

    /// Makes the step along a link or embedded object, or each of a collection of them, or back along an inverse link.
    ///
    /// - `position`: The one of a collection that is meant; nil for each.
    package init(along member: Int, of rowClass: RowClass, at position: ListPosition? = nil) {
        let compiled = rowClass.members[member]
        if compiled.originProperty >= 0 {
            self.init(
                backTo: compiled.classIndex, compiled.originProperty, from: rowClass, by: member)
            return
        }
        let isEmbedded = compiled.storage.element == .embedded
        let kind: Kind
        if compiled.storage.shape == .single {
            kind = isEmbedded ? .embedded : .link
        } else if let position {
            kind = isEmbedded ? .embeddedAt(position) : .linkAt(position)
        } else {
            kind = isEmbedded ? .embeddedList : .links
        }
        self.init(
            kind: kind, fromClass: rowClass.index, toClass: compiled.classIndex, member: member)
    }

    /// Whether the step may lead to several objects.
    package var isMany: Bool {
        switch kind {
        case .links, .embeddedList, .inverse, .holder, .mixedLinks: true
        case .link, .embedded, .linkAt, .embeddedAt: false
        }
    }
}

/// A position in a list, or a key of a map.
package enum ListPosition: Hashable, Sendable {
    /// Counted from 0.
    case index(Int)
    /// The first element.
    case first
    /// The last element.
    case last
    /// In a map the value under this key, in UTF-8.
    case key([UInt8])

    /// Returns the position in a list of `count` elements; nil beyond the list, and for a key.
    package func offset(in count: Int) -> Int? {
        switch self {
        case .key: nil
        case .index(let index): index < count ? index : nil
        case .first: count > 0 ? 0 : nil
        case .last: count > 0 ? count - 1 : nil
        }
    }
}
