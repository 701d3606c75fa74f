import ObjectModel
import Rows

/// Keeps the values that a path leads to, with where each group ends.
final class CollectingSink: ValueSink {
    private let storage: ElementStorage
    /// Where links are compared with `mixed` values, the number of the class that they lead to.
    private let linkClass: UInt32?
    private(set) var values: [ComparedValue] = []
    private(set) var groupEnds: [Int] = []

    init(_ storage: ElementStorage, linkClass: UInt32? = nil) {
        self.storage = storage
        self.linkClass = linkClass
    }

    /// Forgets the last object's values, but keeps the memory.
    func reset() {
        groupCount = 0
        values.removeAll(keepingCapacity: true)
        groupEnds.removeAll(keepingCapacity: true)
    }

    /// Takes a value as it is.
    func append(_ value: ComparedValue) { values.append(value) }

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        var value = ComparedValue(address, count, storage)
        if let linkClass, value.storage != nil { value.addClass(linkClass) }
        values.append(value)
        return true
    }

    override func endGroup() -> Bool {
        groupEnds.append(values.count)
        return true
    }
}

/// One side of a ``GeneralNode``.
final class ComparedSide {
    /// Where the values come from.
    private enum Origin {
        case path(PathWalker)
        case expression(Calculation)
        case constants(ConstantValues)
    }

    private let origin: Origin
    private let sink: CollectingSink
    let isMany: Bool
    let quantifier: Quantifier?

    /// Makes a side that reads a path.
    ///
    /// - `linkClass`: Of links beside `mixed` values, the number of the class that they lead to.
    init(
        _ path: ValuePath, _ quantifier: Quantifier?, _ walker: PathWalker, linkClass: UInt32? = nil
    ) {
        origin = .path(walker)
        sink = CollectingSink(path.type.storage, linkClass: linkClass)
        isMany = path.isMany
        self.quantifier = quantifier
    }

    /// Makes a side that calculates.
    init(_ calculation: Calculation, isMany: Bool, _ quantifier: Quantifier?) {
        origin = .expression(calculation)
        sink = CollectingSink(.int)
        self.isMany = isMany
        self.quantifier = quantifier
    }

    /// Makes a side of constants.
    init(_ constants: ConstantValues, isMany: Bool, _ quantifier: Quantifier?) {
        origin = .constants(constants)
        sink = CollectingSink(.int)
        self.isMany = isMany
        self.quantifier = quantifier
    }

    /// Reads the values for one object.
    func read(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) {
        switch origin {
        case .path(let walker):
            sink.reset()
            walker.walk(row, key, source, sink)
        case .expression(let calculation):
            calculation.read(row, key, source)
            take(calculation)
        case .constants: return
        }
    }

    /// Reads what there is of a value, where values are filtered.
    func read(_ value: UnsafeRawBufferPointer?, _ source: (any ObjectSource)?) {
        switch origin {
        case .path(let walker):
            sink.reset()
            walker.walk(value: value, source, sink)
        case .expression(let calculation):
            calculation.read(value, source)
            take(calculation)
        case .constants: return
        }
    }

    private func take(_ calculation: Calculation) {
        sink.reset()
        for group in 0..<calculation.groupCount {
            for index in calculation.group(group) { sink.append(calculation.value(index)) }
            _ = sink.endGroup()
        }
    }

    /// Whether its values come from the query itself.
    var isConstant: Bool { if case .constants = origin { true } else { false } }

    var groupCount: Int { isConstant ? 1 : sink.groupEnds.count }

    /// The values of one group.
    func group(_ index: Int) -> Range<Int> {
        if case .constants(let constants) = origin { return 0..<constants.count }
        return (index == 0 ? 0 : sink.groupEnds[index - 1])..<sink.groupEnds[index]
    }

    /// One value; its texts lie where the row or the query has them.
    func value(_ index: Int) -> ComparedValue {
        if case .constants(let constants) = origin { return constants[index] }
        return sink.values[index]
    }
}

/// Constants of a query to compare with, their texts kept.
final class ConstantValues {
    private let values: [ComparedValue]
    /// Objects among them, with their places.
    private let objects: [(index: Int, object: ObjectConstant)]
    private let texts: [TextConstant]
    /// Whether they stand beside `mixed` values, so that objects count with their class.
    private let isMixed: Bool

    init(_ constants: [Value], isMixed: Bool, _ maker: inout ValueTestMaker) {
        var values: [ComparedValue] = []
        var objects: [(index: Int, object: ObjectConstant)] = []
        var texts: [TextConstant] = []
        for (index, constant) in constants.enumerated() {
            let text = TextConstant(constant)
            if let text { texts.append(text) }
            values.append(ComparedValue(constant, text: text))
            if let object = maker.object(constant) { objects.append((index, object)) }
        }
        self.values = values
        self.objects = objects
        self.texts = texts
        self.isMixed = isMixed
    }

    var count: Int { values.count }

    subscript(index: Int) -> ComparedValue {
        for (objectIndex, object) in objects where objectIndex == index {
            return isMixed
                ? ComparedValue(mixedObject: object) : ComparedValue(object: object.key)
        }
        return values[index]
    }
}
