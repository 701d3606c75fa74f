import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows

/// The parts of an object that a reply holds: its properties, `$id`, `$version`, inverse links, and objects that
/// are shown in the place of a link.
///
/// Made for one class of one schema: from `fields` and `expand` (``init(fields:expand:of:names:)``), or
/// once for each class (``SchemaNames/everything``). Immutable; safe to use from any thread.
package final class FieldSelection: @unchecked Sendable {
    // Unchecked because of the pointers: they are filled in `init`, never written afterwards and freed in `deinit`.

    /// One member of the reply's object. Trivial, so that a walk over the steps counts no references.
    package struct Step {
        package enum Kind: UInt8 {
            case id
            case version
            /// A single value that is not a link and not embedded.
            case scalar
            /// A collection of such values.
            case scalars
            /// A link as its target's key.
            case link
            /// A collection of links as their targets' keys.
            case links
            /// A link as the object that it leads to.
            case expandedLink
            /// A collection of links as objects.
            case expandedLinks
            case embedded
            case embeddedList
            /// A map of plain values.
            case map
            /// A map of links as keys of their targets.
            case linkMap
            case expandedLinkMap
            case embeddedMap
            /// An inverse link as the keys of the objects that link here.
            case origins
            /// An inverse link as the objects that link here.
            case expandedOrigins
            /// An inverse link as the embedded objects that link here.
            case embeddedOrigins
            /// `$owner`: the object that an embedded one of ``embeddedOrigins`` belongs to, as a link, with the properties
            /// that the nested selection of its class shows.
            case owner
            /// The value that the only step of the nested selection shows, of the object behind a link or of an
            /// embedded one; null if it is missing.
            case through
            /// The same of each object of a collection, as an array.
            case throughEach
            /// A count or an aggregate of a property.
            case calculated
        }

        /// Whether it shows the value of a property, and not a value found or calculated from it.
        package var showsProperty: Bool {
            switch kind {
            case .id, .version, .owner, .through, .throughEach, .calculated: false
            default: true
            }
        }

        package var kind: Kind
        package var element: ElementStorage
        package var member: Int32
        /// The class of the link, embedded object or inverse link.
        var classIndex: Int32
        /// The position of the nested selection; −1 for everything of the class. For a calculated value the position
        /// of its path, for ``Kind/owner`` the position in ``FieldSelection/owners``, −1 for only the link.
        package var nested: Int32
        /// The offset of `,"name":` in the names.
        var nameStart: Int32
        var nameCount: Int32
    }

    package let rowClass: RowClass
    /// Whether a reply contains values of other objects, so that it changes without a new ETag.
    package let holdsOtherObjects: Bool
    /// Whether it shows every property of the class, including properties added later.
    package let showsEverything: Bool
    /// Whether links have to be followed to write a reply.
    package let followsLinks: Bool
    /// Selections of embedded and expanded objects.
    package let nested: [FieldSelection]
    /// The paths of calculated values.
    package let paths: [ValuePath]
    /// The selections of the owners of embedded objects, by class.
    let owners: [[FieldSelection]]
    /// Whether the way from an embedded object back to its holder has to be known to write it.
    let readsHolder: Bool
    /// The selections of paths beside links that are named themselves, by the positions of their steps.
    private let pathsBeside: [Int: FieldSelection]
    package let steps: UnsafeMutableBufferPointer<Step>
    package let names: UnsafeMutableRawBufferPointer
    /// The names of the steps, in their order.
    package let labels: [String]

    /// A step with an unresolved name.
    struct Part {
        package var kind: Step.Kind
        package var name: String
        package var member: Int = -1
        package var nested: FieldSelection?
        /// The path of a calculated value, beginning at the object.
        package var path: ValuePath?
        /// Of `$owner`, by class.
        var owners: [FieldSelection] = []
        /// For a link that `fields` names beside paths through it, the parts of these paths. They are columns of their own
        /// in a table; ``nested`` shows everything then.
        var paths: FieldSelection?
    }

    init(_ rowClass: RowClass, _ parts: [Part], showsEverything: Bool = false) {
        self.rowClass = rowClass
        self.showsEverything = showsEverything
        labels = parts.map(\.name)
        var nested: [FieldSelection] = []
        var paths: [ValuePath] = []
        var owners: [[FieldSelection]] = []
        var pathsBeside: [Int: FieldSelection] = [:]
        var readsHolder = false
        let isEmbedded = rowClass.definition.kind == .embedded
        let text = ByteBuffer(capacity: 256)
        steps = .allocate(capacity: parts.count)
        var holdsOtherObjects = false
        var followsLinks = false
        for (position, part) in parts.enumerated() {
            let compiled = part.member < 0 ? nil : rowClass.members[part.member]
            let start = text.count
            text.append(UInt8(ascii: ","))
            text.append(JSONWriter.encodedKey(part.name))
            var step = Step(
                kind: part.kind, element: compiled?.storage.element ?? .int,
                member: Int32(part.member), classIndex: Int32(compiled?.classIndex ?? -1),
                nested: -1, nameStart: Int32(start), nameCount: Int32(text.count - start))
            if let inner = part.nested {
                step.nested = Int32(nested.count)
                nested.append(inner)
            }
            if let paths = part.paths { pathsBeside[position] = paths }
            if let path = part.path {
                step.nested = Int32(paths.count)
                paths.append(path)
            }
            if !part.owners.isEmpty {
                step.nested = Int32(owners.count)
                owners.append(part.owners)
            }
            switch part.kind {
            case .id, .version: break
            case .owner:
                followsLinks = true
                readsHolder = true
                if !part.owners.isEmpty { holdsOtherObjects = true }
            case .scalar, .scalars, .map: if step.element == .mixed { followsLinks = true }
            case .link, .links, .linkMap: followsLinks = true
            case .embedded, .embeddedList, .embeddedMap:
                // An embedded class may contain itself, so its links are known from the class.
                if rowClass.linkingMembers.contains(part.member) { followsLinks = true }
                if part.nested?.holdsOtherObjects == true { holdsOtherObjects = true }
                if part.nested?.readsHolder == true { readsHolder = true }
            case .expandedLink, .expandedLinks, .expandedLinkMap:
                followsLinks = true
                holdsOtherObjects = true
            case .origins, .expandedOrigins, .embeddedOrigins:
                followsLinks = true
                holdsOtherObjects = true
                if isEmbedded { readsHolder = true }
            case .through, .throughEach:
                if step.element == .link || part.nested?.followsLinks == true {
                    followsLinks = true
                }
                if step.element == .link || part.nested?.holdsOtherObjects == true {
                    holdsOtherObjects = true
                }
                if step.element == .embedded, part.nested?.readsHolder == true {
                    readsHolder = true
                }
            case .calculated:
                // A collection may lie out of line, where the same reads as for links find it.
                followsLinks = true
                if part.path?.readsOtherObjects == true { holdsOtherObjects = true }
            }
            steps.initializeElement(at: position, to: step)
        }
        self.holdsOtherObjects = holdsOtherObjects
        self.followsLinks = followsLinks
        self.nested = nested
        self.paths = paths
        self.owners = owners
        self.readsHolder = readsHolder
        self.pathsBeside = pathsBeside
        names = .allocate(byteCount: max(text.count, 1), alignment: 1)
        names.copyMemory(from: text.bytes)
    }

    deinit {
        steps.deallocate()
        names.deallocate()
    }

    /// Whether a step shows a property as the row of its object has it, and nothing of other objects but their keys.
    package func showsRowAlone(_ step: Step) -> Bool {
        switch step.kind {
        case .scalar, .scalars, .link, .links, .map, .linkMap: true
        case .embedded, .embeddedList, .embeddedMap:
            step.nested < 0 || !nested[Int(step.nested)].holdsOtherObjects
        default: false
        }
    }

    /// Whether the value behind a path is a collection, or the path goes through one.
    var endsInCollection: Bool {
        guard let last = steps.first, last.member >= 0 else { return false }
        if last.kind == .through { return nested[Int(last.nested)].endsInCollection }
        if last.kind == .calculated { return false }
        return last.kind == .throughEach
            || rowClass.members[Int(last.member)].storage.shape != .single
    }

    /// Every stored property, and `$id` where the class has no primary key.
    package convenience init(everythingOf rowClass: RowClass) {
        self.init(rowClass, Self.everyPart(of: rowClass), showsEverything: true)
    }

    /// One property alone, under another name.
    package convenience init(only member: Int, of rowClass: RowClass, named name: String) {
        var part = Self.part(rowClass, member, expands: false)
        part.name = name
        self.init(rowClass, [part])
    }

    /// Returns the same selection of embedded objects with `$owner` before it, unless it is there.
    package func withOwner() -> FieldSelection {
        let parts = steps.indices.map(part(at:))
        if parts.contains(where: { $0.kind == .owner }) { return self }
        return FieldSelection(
            rowClass, [Part(kind: .owner, name: "$owner")] + parts,
            showsEverything: showsEverything)
    }

    /// Returns a selection of every stored property but some.
    package func without(_ members: MemberSet) -> FieldSelection {
        if members.isEmpty { return self }
        return FieldSelection(
            rowClass,
            Self.everyPart(of: rowClass).filter { $0.member < 0 || !members.contains($0.member) },
            showsEverything: true)
    }

    /// Returns the same selection without a single embedded object.
    package func without(embedded member: Int) -> FieldSelection {
        let kept = steps.indices.filter {
            steps[$0].kind != .embedded || steps[$0].member != member
        }
        return kept.count == labels.count
            ? self : FieldSelection(rowClass, kept.map(part(at:)), showsEverything: showsEverything)
    }

    /// Returns the step at a position as the part that it was made from.
    func part(at position: Int) -> Part {
        let step = steps[position]
        var part = Part(kind: step.kind, name: labels[position], member: Int(step.member))
        part.paths = pathsBeside[position]
        if step.kind == .calculated {
            part.path = paths[Int(step.nested)]
        } else if step.kind == .owner {
            if step.nested >= 0 { part.owners = owners[Int(step.nested)] }
        } else if step.nested >= 0 {
            part.nested = nested[Int(step.nested)]
        }
        return part
    }

    /// Lists the parts that `*` stands for.
    static func everyPart(of rowClass: RowClass) -> [Part] {
        var parts: [Part] = []
        if rowClass.definition.kind.standsAlone, rowClass.primaryKeyIndex == nil {
            parts.append(Part(kind: .id, name: "$id"))
        }
        for member in rowClass.members.indices
        where rowClass.members[member].storage.shape != .none && !rowClass.unknown.contains(member)
        {
            parts.append(part(rowClass, member, expands: false))
        }
        return parts
    }

    /// Makes the step that shows a property.
    ///
    /// - `nested`: Of an inverse link of embedded objects never nil.
    static func part(
        _ rowClass: RowClass, _ member: Int, expands: Bool, nested: FieldSelection? = nil
    ) -> Part {
        let storage = rowClass.members[member].storage
        let kind: Step.Kind
        switch (storage.shape, storage.element) {
        case (.none, _) where rowClass.members[member].showsEmbedded: kind = .embeddedOrigins
        case (.none, _): kind = expands ? .expandedOrigins : .origins
        case (.single, .link): kind = expands ? .expandedLink : .link
        case (.single, .embedded): kind = .embedded
        case (.single, _): kind = .scalar
        case (.map, .link): kind = expands ? .expandedLinkMap : .linkMap
        case (.map, .embedded): kind = .embeddedMap
        case (.map, _): kind = .map
        case (_, .link): kind = expands ? .expandedLinks : .links
        case (_, .embedded): kind = .embeddedList
        default: kind = .scalars
        }
        return Part(
            kind: kind, name: rowClass.definition.properties[member].name, member: member,
            nested: nested)
    }
}
