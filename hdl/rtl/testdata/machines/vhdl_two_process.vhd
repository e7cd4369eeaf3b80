-- now: s_wait=0 s_read=1 s_write=2
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
entity k is
    port (clk : in std_logic; rst : in std_logic; go : in std_logic; x : in std_logic_vector(7 downto 0);
        y : out std_logic_vector(7 downto 0));
end k;
architecture rtl of k is
    type state_type is (s_wait, s_read, s_write);
    signal now, following : state_type;
begin
    process (clk, rst) begin
        if rst = '1' then now <= s_wait;
        elsif rising_edge(clk) then now <= following; end if;
    end process;
    process (now, go, x) begin
        following <= now;
        case now is
            when s_wait => if go = '1' then following <= s_read; end if;
            when s_read => following <= s_write;
            when s_write => if x(0) = '1' then following <= s_wait; end if;
        end case;
    end process;
    y <= x when now = s_write else (others => '0');
end rtl;
