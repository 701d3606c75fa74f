import HoldfastObjectModel

/// The conversion of rows of a class to rows of the class that replaces it in another schema. Immutable; any
/// thread.
package struct RowConversion: Sendable {
    /// The source of a property's value in the new class.
    package enum Source: Sendable {
        /// From a property of the old class that is stored alike.
        case kept(Int)
        /// From a property of the old class, by a conversion.
        case converted(Int, ValueConversion)
        /// From the fill row of the new class: the property is new.
        case filled
        /// A fresh identifier: the property is new and has a random default.
        case generated
        /// The number of the object: the property is a new primary key that the store numbers.
        case numbered
        /// From nothing: it is an inverse link.
        case nothing
    }

    /// Something to look at in every row, because data may be lost there.
    package struct Check: Sendable {
        /// A loss to look for.
        package enum Loss: Sendable {
            /// Anything at all: the property goes.
            case anything
            /// Values that do not convert.
            case unconvertible(ValueConversion)
        }

        /// The property, by position in the old class.
        package var member: Int
        /// The loss to look for.
        package var loss: Loss
        /// The position of the step of the change that loses it.
        package var step: Int

        /// Makes a check.
        package init(member: Int, loss: Loss, step: Int) {
            self.member = member
            self.loss = loss
            self.step = step
        }
    }

    /// The class whose rows are read.
    package var source: RowClass
    /// The class whose rows are written.
    package var target: RowClass
    /// One for each property of `target`.
    package var members: [Source]
    /// The checks for values that may be lost.
    package var checks: [Check]

    /// Makes a conversion.
    package init(source: RowClass, target: RowClass, members: [Source], checks: [Check]) {
        self.source = source
        self.target = target
        self.members = members
        self.checks = checks
    }
}
