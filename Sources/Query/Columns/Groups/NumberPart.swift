import HoldfastObjectModel
import HoldfastRows

/// Parts of dates, and the ranges that ints and doubles lie in, as numbers. One thread at a time uses it.
struct NumberPart {
    /// How the numbers are stored.
    let storage: ElementStorage
    let key: GroupKey
    /// Calculates the part of a number.
    let part: (Int64) -> Int64

    /// Nil for whole values, and for those that are not kept as numbers.
    init?(_ key: GroupKey) {
        guard let calculation = GroupCalculation(key) else { return nil }
        self.key = key
        switch (key.part, key.path.type.storage) {
        case (.date(let part, _), _):
            storage = .int
            self.part = { date in
                let seconds = ColumnNumber.timestamp(date).seconds
                return part.value(at: calculation.localSeconds(at: seconds))
            }
        case (.bucket(.int(let width)), .int):
            storage = .int
            part = { GroupCalculation.bound($0, width) }
        case (.bucket(.double(let width)), .int):
            storage = .double
            part = { ColumnNumber.number(GroupCalculation.bound(Double($0), width)) ?? 0 }
        case (.bucket(.double(let width)), .double), (.bucket(.double(let width)), .float):
            storage = .double
            part = { number in
                let bound = GroupCalculation.bound(ColumnNumber.double(number), width)
                return ColumnNumber.number(bound) ?? 0
            }
        default: return nil
        }
    }
}
