import HoldfastObjectModel
import HoldfastRows

/// One side of a ``GeneralNode``.
final class ComparedSide {
    /// The origin of the values.
    enum Origin {
        case path(PathWalker)
        case expression(Calculation)
        case constants(ConstantValues)
    }

    private let origin: Origin
    private let sink: GroupedSink<ComparedValue>
    let isMany: Bool
    let quantifier: Quantifier?

    /// - `storage`: That of the values of a path.
    /// - `linkClass`: Of links beside `mixed` values, the number of the class that they lead to.
    init(
        _ origin: Origin, isMany: Bool, _ quantifier: Quantifier?, storage: ElementStorage = .int,
        linkClass: UInt32? = nil
    ) {
        self.origin = origin
        sink = GroupedSink(keepsAddresses: true) { address, count in
            var value = ComparedValue(address, count, storage)
            if let linkClass, value.storage != nil { value.addClass(linkClass) }
            return value
        }
        self.isMany = isMany
        self.quantifier = quantifier
    }

    /// Reads the values.
    ///
    /// - `walk`: Follows a path from the object, or within the value, that is tested.
    /// - Returns: False where they are too many for the budget.
    func read(_ walk: (PathWalker, ValueSink) -> Void, within budget: Budget) -> Bool {
        switch origin {
        case .path(let walker):
            sink.reset(budget)
            walk(walker, sink)
        case .expression(let calculation):
            guard calculation.read(walk, within: budget) else { return false }
            take(calculation, budget)
        case .constants: break
        }
        return budget.failure == nil
    }

    private func take(_ calculation: Calculation, _ budget: Budget) {
        sink.reset(budget)
        for group in 0..<calculation.groupCount {
            for index in calculation.group(group) {
                guard budget.spend(), sink.take(calculation.value(index)) else { return }
            }
            _ = sink.endGroup()
        }
    }

    private var constants: ConstantValues? {
        if case .constants(let constants) = origin { constants } else { nil }
    }

    /// Whether its values are the same for all objects and all snapshots.
    var isFixed: Bool { constants?.hasObjects == false }

    /// The number of values of all groups.
    var valueCount: Int { constants?.count ?? sink.values.count }

    /// Whether its values come from the query itself.
    var isConstant: Bool { constants != nil }

    var groupCount: Int { isConstant ? 1 : sink.groupEnds.count }

    func group(_ index: Int) -> Range<Int> { constants.map { 0..<$0.count } ?? sink.group(index) }

    /// Returns one value; its texts lie where the row or the query has them.
    func value(_ index: Int) -> ComparedValue { constants?[index] ?? sink.values[index] }
}

/// Constants of a query to compare with, their texts kept.
final class ConstantValues {
    private let values: [OwnedValue]
    /// Objects among them, by their positions.
    private let objects: [Int: ObjectConstant]
    /// Whether they stand beside `mixed` values, so that objects count with their class.
    private let isMixed: Bool

    init(_ constants: [Value], isMixed: Bool, _ maker: inout ValueTestMaker) {
        values = constants.map { OwnedValue($0) }
        var objects: [Int: ObjectConstant] = [:]
        for (index, constant) in constants.enumerated() {
            if let object = maker.object(constant) { objects[index] = object }
        }
        self.objects = objects
        self.isMixed = isMixed
    }

    var count: Int { values.count }

    /// Whether there are objects among them, which are others in another snapshot.
    var hasObjects: Bool { !objects.isEmpty }

    subscript(index: Int) -> ComparedValue {
        if !objects.isEmpty, let object = objects[index] {
            return isMixed ? ComparedValue(mixedObject: object) : ComparedValue(object: object.key)
        }
        return values[index].compared
    }
}
