import HoldfastRows

/// Follows a path from an object and hands the values at its end to a sink.
///
/// A path that stands for one value yields exactly one, null where a link along it is null. Objects
/// that a to-many step leads to and that lack a later link contribute nothing.
final class PathWalker {
    private let schema: RowSchema
    private let path: ValuePath
    private let lastClass: RowClass
    private let isGrouped: Bool
    private let isSum: Bool
    /// The position of the first step that may lead to several objects.
    private let firstMany: Int
    /// Whether a missing object means a null value.
    private let yieldsNull: Bool
    /// Whether it leads back out of embedded objects, so that their holders are kept.
    private let needsHolders: Bool
    private var holders: [EmbeddedHolder] = []
    private var total: Int64 = 0
    private var aggregator: Aggregator?
    private let within: MixedWalker?
    /// Whether a reached object is not read again after its value was passed on.
    private let isOfNumbers: Bool
    /// Whether the rows of objects that it reaches by links are given back one by one.
    private var releasesRows = false
    /// The condition on the objects of a SUBQUERY.
    private let inner: MatchNode?
    /// The results of the path, where they are worth remembering.
    private let results: TargetResults?

    /// - `inner`: The condition of a path that ends in a SUBQUERY's count.
    init(_ path: ValuePath, schema: RowSchema, inner: MatchNode? = nil) {
        self.schema = schema
        self.path = path
        lastClass = schema.classes[max(path.lastClass, 0)]
        isGrouped = path.isGrouped
        isSum = path.isSum
        firstMany = path.steps.firstIndex(where: \.isMany) ?? path.steps.count
        yieldsNull = !path.isMany && !path.isFold
        switch path.terminal {
        case .holder, .holderCount: needsHolders = true
        default: needsHolders = path.steps.contains { $0.kind == .holder }
        }
        self.inner = inner
        results = TargetResults(path, schema: schema)
        switch path.terminal {
        case .mixed(_, let inside), .subjectMixed(let inside):
            within = MixedWalker(
                inside, schema: schema, isGrouped: path.isGrouped, isMany: path.isMany)
        default: within = nil
        }
        switch path.terminal {
        case .aggregate(let function, let member), .objectAggregate(let function, let member):
            let storage = lastClass.members[member].storage.element
            aggregator = Aggregator(function, storage)
            isOfNumbers = path.isFold && storage.fixedByteCount != nil
        default: isOfNumbers = isSum
        }
    }

    /// Hands all values to `sink`, in one group, or in one group for each inner collection, until the sink wants no more.
    func walk(_ row: RowView, _ key: UInt64, _ source: any ObjectSource, _ sink: ValueSink) {
        if let results {
            let isHanded = results.hand(row, source, to: sink) { follow(row, key, source, $0) }
            if isHanded { return }
        }
        follow(row, key, source, sink)
    }

    private func follow(
        _ row: RowView, _ key: UInt64, _ source: any ObjectSource, _ sink: ValueSink
    ) {
        total = 0
        releasesRows =
            firstMany < path.steps.count && source.makesCopies && (isOfNumbers || !sink.keepsValues)
        aggregator?.copiesValues = releasesRows
        aggregator?.reset()
        within?.reset()
        if !isGrouped { sink.beginGroup() }
        _ = step(0, row, key, -1, source, sink)
        if isSum {
            _ = sink.receive(total)
        } else if case .objectAggregate = path.terminal {
            _ = aggregator?.finish(sink)
        }
        if isGrouped, sink.groupCount == 0 { sink.beginGroup() } else if isGrouped { return }
        _ = sink.endGroup()
    }

    /// Passes on the values of the path within a value, if values are filtered; nil for null.
    ///
    /// - `source`: For the objects that links within the value lead to.
    func walk(value: UnsafeRawBufferPointer?, _ source: (any ObjectSource)?, _ sink: ValueSink) {
        within?.reset()
        if !isGrouped { sink.beginGroup() }
        switch path.terminal {
        case .subjectByteCount where value != nil: _ = sink.receive(Int64(value?.count ?? 0))
        case .subjectMixed: _ = within?.walk(value, source, sink)
        default: _ = sink.receive(value)
        }
        if isGrouped, sink.groupCount == 0 { sink.beginGroup() } else if isGrouped { return }
        _ = sink.endGroup()
    }

    /// Notes that the step at `index` leads nowhere.
    private func missing(_ index: Int, _ sink: ValueSink) -> Bool {
        // Of several objects one that leads nowhere says nothing of the way.
        if index <= firstMany { sink.wasMissing = true }
        return nothing(sink)
    }

    /// Passes on the path's result if there is nothing to read: the count of no elements, the aggregate
    /// of no values, otherwise null.
    private func nothing(_ sink: ValueSink) -> Bool {
        guard yieldsNull else { return true }
        switch path.terminal {
        case .count: return sink.receive(0)
        case .aggregate:
            aggregator?.reset()
            return aggregator?.finish(sink) ?? true
        case .mixed, .subjectMixed: return within?.finish(.nothing, nil, sink) ?? true
        default: return sink.receive(nil, 0)
        }
    }

    private func object(
        _ step: PathStep, _ target: UInt64, _ index: Int, _ source: any ObjectSource,
        _ sink: ValueSink
    ) -> Bool {
        func go() -> Bool {
            guard let row = source.row(classIndex: step.toClass, key: target) else {
                return missing(index, sink)
            }
            return self.step(index + 1, row, target, -1, source, sink)
        }
        guard releasesRows, index >= firstMany else { return go() }
        var goesOn = true
        source.withStep { goesOn = go() }
        return goesOn
    }

    /// Goes on within an embedded object.
    private func enter(
        _ embedded: RowView, _ step: PathStep, _ index: Int, of row: RowView, _ key: UInt64,
        _ holder: Int, _ source: any ObjectSource, _ sink: ValueSink
    ) -> Bool {
        guard needsHolders else { return self.step(index + 1, embedded, key, -1, source, sink) }
        holders.append(
            EmbeddedHolder(
                row: row, key: key, classIndex: step.fromClass, member: step.member,
                parent: holder))
        defer { holders.removeLast() }
        return self.step(index + 1, embedded, key, holders.count - 1, source, sink)
    }

    /// Returns the holder at a position, if it holds its embedded object in a property.
    private func holder(_ position: Int, _ originClass: Int, _ member: Int) -> EmbeddedHolder? {
        guard position >= 0 else { return nil }
        let holder = holders[position]
        return holder.classIndex == originClass && holder.member == member ? holder : nil
    }

    /// Takes the step at `index` and all later ones; false if the sink wants no more.
    ///
    /// - `holder`: The position of the holder of an embedded object; −1 of any other.
    private func step(
        _ index: Int, _ row: RowView, _ key: UInt64, _ holder: Int, _ source: any ObjectSource,
        _ sink: ValueSink
    ) -> Bool {
        guard index < path.steps.count else { return terminal(row, key, holder, source, sink) }
        let step = path.steps[index]
        let rowClass = schema.classes[step.fromClass]
        switch step.kind {
        case .link:
            let field = rowClass.field(step.member, in: row)
            if field.isNull { return missing(index, sink) }
            return object(step, field.load(UInt64.self), index, source, sink)
        case .embedded:
            guard let embedded = rowClass.embedded(step.member, in: row) else {
                return missing(index, sink)
            }
            return enter(embedded, step, index, of: row, key, holder, source, sink)
        case .links:
            return rowClass.collection(step.member, in: row, source)
                .forEach(within: source.budget) { links, offset, _ in
                    links.isNull(offset)
                        || object(step, links.pointer(offset).storedLink, index, source, sink)
                }
        case .embeddedList:
            return rowClass.collection(step.member, in: row, source)
                .forEach(within: source.budget) { rows, offset, _ in
                    guard let embedded = RowView(rows.bytes(offset)) else { return true }
                    return enter(embedded, step, index, of: row, key, holder, source, sink)
                }
        case .linkAt(let position):
            let links = rowClass.collection(step.member, in: row, source)
            guard let (part, offset) = links.object(position) else { return missing(index, sink) }
            return object(step, part.pointer(offset).storedLink, index, source, sink)
        case .embeddedAt(let position):
            let rows = rowClass.collection(step.member, in: row, source)
            guard let (part, offset) = rows.object(position),
                let embedded = RowView(part.bytes(offset))
            else { return missing(index, sink) }
            return enter(embedded, step, index, of: row, key, holder, source, sink)
        case .inverse:
            if rowClass.hides(step.inverseLink, in: row) { return true }
            let originClass = schema.classes[step.toClass]
            var continues = true
            guard originClass.definition.kind == .embedded else {
                source.forEachOrigin(
                    ofClass: step.fromClass, key: key, originClass: step.toClass,
                    member: step.member
                ) { _, origin in
                    continues = object(step, origin, index, source, sink)
                    return continues
                }
                return continues
            }
            let origins = EmbeddedOrigins(
                schema: schema, originClass: originClass, member: step.member, target: key,
                source: source)
            var found: [EmbeddedHolder] = []
            return origins.forEach(fromClass: step.fromClass, &found) { embedded, last, all in
                guard let owner = all.owner(of: last) else { return true }
                guard needsHolders else {
                    return self.step(index + 1, embedded, owner.key, -1, source, sink)
                }
                let count = holders.count
                for holder in all {
                    var own = holder
                    if own.parent >= 0 { own.parent += count }
                    holders.append(own)
                }
                defer { holders.removeLast(all.count) }
                return self.step(index + 1, embedded, owner.key, count + last, source, sink)
            }
        case .holder:
            guard let found = self.holder(holder, step.toClass, step.member) else { return true }
            return self.step(index + 1, found.row, found.key, found.parent, source, sink)
        case .mixedLinks: return true
        }
    }

    private func terminal(
        _ row: RowView, _ key: UInt64, _ holder: Int, _ source: any ObjectSource, _ sink: ValueSink
    ) -> Bool {
        switch path.terminal {
        case .value(let member): return sink.receive(value(member, row, source))
        case .elements(let member):
            let values = lastClass.collection(member, in: row, source)
            return group(sink) {
                values.forEachPart(within: source.budget) { part, _ in
                    sink.receive(elementsOf: part.values)
                }
            }
        case .keys(let member):
            let map = lastClass.collection(member, in: row, source)
            return group(sink) {
                map.forEachPart(within: source.budget) { part, _ in
                    part.keys.map { sink.receive(elementsOf: $0) } ?? true
                }
            }
        case .lengths(let member):
            let values = lastClass.collection(member, in: row, source)
            return group(sink) {
                values.forEach(within: source.budget) { values, offset, _ in
                    if values.isNull(offset) { return sink.receive(0) }
                    let bytes = values.bytes(offset)
                    guard values.element == .mixed else { return sink.receive(Int64(bytes.count)) }
                    let value = MixedView(bytes)
                    guard value.kind == .string || value.kind == .data else { return true }
                    return sink.receive(Int64(value.payload.count))
                }
            }
        case .elementAt(let member, let position):
            let values = lastClass.collection(member, in: row, source)
            if isGrouped {
                sink.beginGroup()
                _ = sink.receive(values.object(position).map { $0.part.bytes($0.offset) })
                return sink.endGroup()
            }
            guard let (part, offset) = values.element(position) else { return nothing(sink) }
            return sink.receive(part.isNull(offset) ? nil : part.bytes(offset))
        case .byteCountAt(let member, let position):
            let values = lastClass.collection(member, in: row, source)
            guard let (part, offset) = values.element(position) else { return nothing(sink) }
            if part.isNull(offset) { return sink.receive(nil, 0) }
            return sink.receive(Int64(part.bytes(offset).count))
        case .mixed(let member, _):
            return within?.walk(member, of: lastClass, row, source, sink) ?? true
        case .count(let member):
            return sink.receive(Int64(lastClass.collection(member, in: row, source).count))
        case .byteCount(let member):
            let field = lastClass.field(member, in: row)
            if field.isNull { return sink.receive(nil, 0) }
            return sink.receive(Int64(field.textByteCount))
        case .inverse(let originClass, let member):
            if lastClass.hides(path.inverseLink, in: row) { return true }
            var continues = true
            source.forEachOrigin(
                ofClass: lastClass.index, key: key, originClass: originClass, member: member
            ) { _, origin in
                var origin = origin
                continues = sink.receive(&origin, 8)
                return continues
            }
            return continues
        case .holder(let originClass, let member):
            guard var key = self.holder(holder, originClass, member)?.key else { return true }
            return sink.receive(&key, 8)
        case .holderCount(let originClass, let member):
            total += self.holder(holder, originClass, member) == nil ? 0 : 1
            return true
        case .objectCount, .presence, .presenceAt, .inverseCount, .incomingCount, .matchCount:
            total += count(row, key, source)
            return true
        case .aggregate(_, let member):
            aggregator?.reset()
            lastClass.collection(member, in: row, source)
                .forEach(within: source.budget) { values, offset, _ in
                    if values.isNull(offset) { return true }
                    let bytes = values.bytes(offset)
                    aggregator?.add(bytes.baseAddress, bytes.count)
                    return true
                }
            return aggregator?.finish(sink) ?? true
        case .objectAggregate(_, let member):
            let value = value(member, row, source)
            aggregator?.add(value?.baseAddress, value?.count ?? 0)
            return true
        case .subject, .subjectByteCount, .subjectMixed: return false
        }
    }

    /// Reads a single property as it is stored; nil for null.
    @inline(__always)
    private func value(
        _ member: Int, _ row: RowView, _ source: any ObjectSource
    ) -> UnsafeRawBufferPointer? {
        let field = lastClass.field(member, in: row)
        if field.isNull { return nil }
        guard let width = lastClass.members[member].storage.element.fixedByteCount else {
            return field.text(source)
        }
        return UnsafeRawBufferPointer(start: field.slot, count: width)
    }

    /// Hands over a collection, as a group of its own where the path is grouped.
    private func group(_ sink: ValueSink, _ hand: () -> Bool) -> Bool {
        if !isGrouped { return hand() }
        sink.beginGroup()
        _ = hand()
        return sink.endGroup()
    }

    /// Counts the contribution of one object.
    private func count(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Int64 {
        switch path.terminal {
        case .objectCount(let member):
            return Int64(lastClass.collection(member, in: row, source).count)
        case .presence(let member): return lastClass.field(member, in: row).isNull ? 0 : 1
        case .presenceAt(let member, let position):
            let objects = lastClass.collection(member, in: row, source)
            return objects.object(position) == nil ? 0 : 1
        case .inverseCount(let originClass, let member):
            if lastClass.hides(path.inverseLink, in: row) { return 0 }
            var count: Int64 = 0
            source.forEachOrigin(
                ofClass: lastClass.index, key: key, originClass: originClass, member: member
            ) { _, _ in
                count += 1
                return true
            }
            return count
        case .matchCount: return inner?.matches(row, key, source) ?? false ? 1 : 0
        case .incomingCount:
            return Int64(source.incomingLinkCount(classIndex: lastClass.index, key: key))
        default: return 0
        }
    }
}
