# SPDX-License-Identifier: BSD-3-Clause
# Methods, properties, super() and classes defined in compiled code.
import torch


class Base(torch.nn.Module):
    def forward(self, x):
        print("base")
        return x + 1


class Child(Base):
    scale = 2

    @property
    def twice(self):
        return self.scale * 2

    def forward(self, x):
        y = super().forward(x) * self.twice
        print("child", type(self).__name__)
        return y - self.scale


model = torch.compile(Child(), backend="eager")
print(model(torch.ones(2)))
