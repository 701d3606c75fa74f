import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// Judges the objects of one view by a visibility, and makes the rows that the view shows.
///
/// Rules are evaluated on the unrestricted view. Copies stay as long as this object, or until a scan releases them. One thread at
/// a time uses it.
final class RestrictedObjects: VisibleObjects {
    /// The rules of a class, ready to be asked.
    private final class Rules {
        let classIndex: Int
        let part: Visibility.Part
        /// For each role its test, unless it admits all objects, and its hidden properties; empty if nothing is hidden.
        private(set) lazy var roles: [(rule: Matcher?, hidden: MemberSet)] = part.roles.map {
            ($0.rule?.makeMatcher(unrestricted.rows, source: unrestricted), $0.hidden)
        }
        private var rule: Matcher?
        private let visibility: Visibility
        private let unrestricted: StoreView

        init(_ visibility: Visibility, _ classIndex: Int, _ unrestricted: StoreView) {
            (self.visibility, self.unrestricted) = (visibility, unrestricted)
            self.classIndex = classIndex
            part = visibility.parts[classIndex]
        }

        deinit { if let rule { visibility.giveBack(rule, of: classIndex) } }

        func admits(_ key: UInt64, _ row: RowView) -> Bool {
            if rule == nil { rule = visibility.takeMatcher(of: classIndex, on: unrestricted) }
            return rule?.matches(row: row, key: key, source: unrestricted) ?? true
        }
    }

    /// The maximum number of objects with a remembered decision.
    private static let rememberedCountMax = 1 << 16

    let visibility: Visibility
    let unrestricted: StoreView
    /// Of the classes of which objects were shown: few.
    private var rules: [Rules] = []
    /// Whether objects are seen that were asked for by their keys.
    private var judged: [ObjectIdentity: Bool] = [:]
    /// Objects that are known to be seen.
    private var admitted: Set<ObjectIdentity> = []
    /// The object that is being read because a plan found it by the rule; its rule is not evaluated.
    var found: ObjectIdentity?
    private let copies = RowCopies()
    private lazy var builder = RowBuilder()  // Many views show only whole rows.
    private lazy var buffer = ByteBuffer(capacity: 512)

    init(_ visibility: Visibility, of unrestricted: StoreView) {
        self.visibility = visibility
        self.unrestricted = unrestricted
    }

    var schema: RowSchema { visibility.schema }
    var source: any OverflowSource { unrestricted }

    // MARK: Objects

    /// Returns the visible part of an object: nil, its row, or a copy without the hidden properties.
    func show(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) -> RowView? {
        guard visibility.parts[rowClass.index].isConcerned else { return row }
        let rules = rules(of: rowClass.index)
        guard unrestricted.budget.spend(), admits(rules, key, row) else { return nil }
        if rules.part.altered.isEmpty { return row }
        let hidden = hiddenParts(rules, rowClass, key, row, in: row, seenBy: self)
        return hidden.isEmpty ? row : copy(row, rowClass, without: hidden, seenBy: self)
    }

    /// Returns the visible part of a copy that was made for the same reader before: at most the part that the rules admit for the
    /// object's present state; nil if the object is gone.
    func show(copy row: RowView, _ rowClass: RowClass, _ key: UInt64) -> RowView? {
        guard visibility.parts[rowClass.index].isConcerned else { return row }
        guard let present = unrestricted.row(classIndex: rowClass.index, key: key),
            var hidden = hiddenParts(rowClass, key, present, in: row, seenBy: self)
        else { return nil }
        if hidden.isEmpty { return row }
        hidden.properties.formUnion(rowClass.hidden(in: row))
        return copy(row, rowClass, without: hidden, seenBy: self)
    }

    /// Returns the parts of an object that are hidden; nil for all of it.
    ///
    /// - `judged`: The row that the rules are asked of.
    /// - `row`: The row that has the parts.
    /// - `objects`: Whether its links lead to visible objects.
    func hiddenParts(
        _ rowClass: RowClass, _ key: UInt64, _ judged: RowView, in row: RowView,
        seenBy objects: some VisibleObjects
    ) -> HiddenParts? {
        let rules = rules(of: rowClass.index)
        guard unrestricted.budget.spend(), admits(rules, key, judged) else { return nil }
        return hiddenParts(rules, rowClass, key, judged, in: row, seenBy: objects)
    }

    private func hiddenParts(
        _ rules: Rules, _ rowClass: RowClass, _ key: UInt64, _ judged: RowView, in row: RowView,
        seenBy objects: some VisibleObjects
    ) -> HiddenParts {
        var hidden = HiddenParts()
        if rules.part.altered.isEmpty { return hidden }
        hidden.properties = hiddenProperties(rules, key, judged)
        for member in rules.part.links where !hidden.properties.contains(member) {
            if holdsHidden(member, of: rowClass, in: row, seenBy: objects) {
                hidden.links.insert(member)
            }
        }
        return hidden
    }

    func knows(_ member: Int, of rowClass: RowClass) -> Bool {
        visibility.knows(member, of: rowClass)
    }

    func sees(classIndex: Int, key: UInt64) -> Bool {
        // A link that leads nowhere is null. After a failure everything is hidden.
        !visibility.parts[classIndex].isNeverSeen
            && sees(classIndex: classIndex, key: key, orElse: false)
    }

    /// The same with the answer for an object that the view lacks.
    func sees(classIndex: Int, key: UInt64, orElse isSeenElsewhere: Bool) -> Bool {
        guard visibility.mayHideObjects(of: classIndex) else { return true }
        let identity = ObjectIdentity(classIndex: classIndex, key: key)
        if let known = judged[identity] { return known }
        guard let row = unrestricted.row(classIndex: classIndex, key: key) else {
            return isSeenElsewhere
        }
        let isSeen = admits(rules(of: classIndex), key, row)
        remember(identity, isSeen)
        return isSeen
    }

    /// The properties that are hidden of an object; nil where it is hidden itself, or not there.
    func hiddenProperties(of identity: ObjectIdentity) -> MemberSet? {
        guard let row = unrestricted.row(classIndex: identity.classIndex, key: identity.key) else {
            return nil
        }
        guard visibility.parts[identity.classIndex].isConcerned else { return MemberSet() }
        let rules = rules(of: identity.classIndex)
        return admits(rules, identity.key, row) ? hiddenProperties(rules, identity.key, row) : nil
    }

    /// The properties that are hidden of an object that the view lacks, by the rules for its row.
    func hiddenProperties(ofNew rowClass: RowClass, _ key: UInt64, _ row: RowView) -> MemberSet {
        hiddenProperties(rules(of: rowClass.index), key, row)
    }

    /// Counts the links from an object to another one through a property that are seen, among so many that there are.
    ///
    /// - `property`: The number of the property, which may be one of an embedded object.
    func linkCount(
        from origin: ObjectIdentity, _ property: UInt32, _ count: Int, to target: ObjectIdentity
    ) -> Int {
        guard visibility.parts[origin.classIndex].isConcerned else { return count }
        if !sees(classIndex: origin.classIndex, key: origin.key) { return 0 }
        let rules = rules(of: origin.classIndex)
        if rules.roles.isEmpty { return count }
        guard let row = unrestricted.row(classIndex: origin.classIndex, key: origin.key) else {
            return 0
        }
        let hidden = hiddenProperties(rules, origin.key, row)
        if hidden.isEmpty { return count }
        if let place = schema.memberByNumber[property], place.classIndex == origin.classIndex {
            return hidden.contains(place.member) ? 0 : count
        }
        // For an embedded object, the properties that contain it are visible or not.
        let rowClass = schema.classes[origin.classIndex]
        let shown = MemberSet(rowClass.linkingMembers).subtracting(hidden)
        var seen = 0
        schema.forEachLink(of: rowClass, in: row, only: shown, unrestricted) {
            held, classIndex, key in
            if held == property, classIndex == target.classIndex, key == target.key { seen += 1 }
        }
        return seen
    }

    // MARK: Rules

    /// Notes an object that was found to be seen, so that no rule is asked of it.
    func admit(_ object: ObjectIdentity) { admitted.insert(object) }

    private func admits(_ rules: Rules, _ key: UInt64, _ row: RowView) -> Bool {
        if rules.part.rule == nil { return true }
        let identity = ObjectIdentity(classIndex: rules.classIndex, key: key)
        if identity == found || !admitted.isEmpty && admitted.contains(identity) { return true }
        if rules.part.isRuleCheap { return rules.admits(key, row) }
        if let known = judged[identity] { return known }
        let isSeen = rules.admits(key, row)
        remember(identity, isSeen)
        return isSeen
    }

    private func remember(_ identity: ObjectIdentity, _ isSeen: Bool) {
        guard unrestricted.budget.failure == nil else { return }
        if judged.count >= Self.rememberedCountMax { judged.removeAll(keepingCapacity: true) }
        judged[identity] = isSeen
    }

    private func hiddenProperties(_ rules: Rules, _ key: UInt64, _ row: RowView) -> MemberSet {
        if rules.roles.isEmpty { return MemberSet() }
        var hidden: MemberSet?
        for role in rules.roles
        where role.rule?.matches(row: row, key: key, source: unrestricted) ?? true {
            hidden = hidden?.intersection(role.hidden) ?? role.hidden
        }
        return hidden ?? rules.part.hidden
    }

    private func rules(of classIndex: Int) -> Rules {
        if let known = rules.first(where: { $0.classIndex == classIndex }) { return known }
        let made = Rules(visibility, classIndex, unrestricted)
        rules.append(made)
        return made
    }

    // MARK: Copies

    /// Whether a property contains a link to an object that is not visible, or an unknown value.
    private func holdsHidden(
        _ member: Int, of rowClass: RowClass, in row: RowView, seenBy objects: some VisibleObjects
    ) -> Bool {
        let compiled = rowClass.members[member]
        if compiled.storage == FieldStorage(.single, .link) {
            let field = rowClass.field(member, in: row)
            return !field.isNull
                && !objects.sees(classIndex: compiled.classIndex, key: field.load(UInt64.self))
        }
        if visibility.parts[rowClass.index].unknown.contains(member),
            objects.holdsUnknown(member, of: rowClass, in: row)
        {
            return true
        }
        let only = MemberSet([member])
        var holds = false
        schema.forEachLink(of: rowClass, in: row, only: only, objects.source) {
            _, classIndex, key in
            if !holds { holds = !objects.sees(classIndex: classIndex, key: key) }
        }
        return holds
    }

    /// Makes the copy of a row that is shown, which stays as long as this; nil where there is no memory for it.
    func copy(
        _ row: RowView, _ rowClass: RowClass, without parts: HiddenParts,
        seenBy objects: some VisibleObjects
    ) -> RowView? {
        buffer.removeAll()
        builder.append(row, rowClass, without: parts, objects: objects, to: buffer)
        guard unrestricted.budget.holds(copies.byteCount) else { return nil }
        return copies.add(buffer.bytes)
    }

    /// The present amount of copies.
    var shownMark: RowCopies.Mark { copies.mark }

    /// Gives back copies, all by default: rows that were shown since must not be read any more.
    func releaseCopies(to mark: RowCopies.Mark = RowCopies.Mark()) { copies.release(to: mark) }

    /// Runs a step that keeps no rows, so that the copies made in it are released.
    @inline(__always)
    func withStep<Result>(_ body: () -> Result) -> Result {
        let mark = copies.mark
        defer { copies.release(to: mark) }
        return body()
    }
}
