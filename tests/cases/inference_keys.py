# The same function is called with grad, without grad and in inference mode: guards fail for what differs, not for raw dispatch keys.
# needs: torch
import torch


def inc(t):
    return t * 2 + 1


compiled = torch.compile(inc, backend="eager")
plain = torch.zeros(3)
print(compiled(plain).tolist())
with torch.no_grad():
    print(compiled(plain).tolist())
with torch.inference_mode():
    made = torch.zeros(3)
    print(compiled(plain).tolist(), compiled(made).tolist())
print(compiled(made).is_inference())
